package hostfile

import (
	"slices"
	"strings"
	"testing"
)

func TestPatterns(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a", "a"},
		{"n[1-3]", "n1 n2 n3"},
		{"n[08-11]", "n08 n09 n10 n11"},
		{"n[8-011]", "n8 n9 n10 n11"},
		{"n[001-2]", "n001 n002"},
		{"n[1,01]", "n1 n01"},
		{"n[3,1-2]", "n3 n1 n2"},
		{"r[0-1]n[00-02]", "r0n00 r0n01 r0n02 r1n00 r1n01 r1n02"},
		{"gpu[1-2]-ib", "gpu1-ib gpu2-ib"},
		{"n[1-2].x.y", "n1.x.y n2.x.y"},
		{"[1-2]", "1 2"},
		{"[fe80::1]", "fe80::1"},
		{"n[999999999999999998-999999999999999999]", "n999999999999999998 n999999999999999999"},
	} {
		p, problem := parsePattern(token{text: c.text, line: 1, col: 1})
		if problem != nil {
			t.Errorf("%s: %v", c.text, problem)
			continue
		}
		names := slices.Collect(p.names())
		if got := strings.Join(names, " "); got != c.want || p.count != len(names) {
			t.Errorf("%s: %d names %s, want %s", c.text, p.count, got, c.want)
		}
	}
}

func TestLargestPattern(t *testing.T) {
	if f := parse(t, "n[1-65536]\n"); len(f.Hosts) != 65536 || f.Hosts[65535].Name != "n65536" {
		t.Errorf("%d hosts", len(f.Hosts))
	}
}

func TestWrongPatterns(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"n[1-2", "h:1:2: bracket that nothing closes"},
		{"ab[1]x[2", "h:1:7: bracket that nothing closes"},
		{"n1-2]", "h:1:5: ']' in the name"},
		{"n[[1]]", `h:1:3: "[1" in brackets`},
		{"n[]", `h:1:3: "" in brackets`},
		{"n[1,]", `h:1:5: "" in brackets`},
		{"n[a-b]", `h:1:3: "a-b" in brackets`},
		{"n[1-]", `h:1:3: "1-" in brackets`},
		{"n[0-3:2]", `h:1:3: "0-3:2" in brackets`},
		{"n[1-2-3]", `h:1:3: "1-2-3" in brackets`},
		{"n[5,3-1]", "h:1:5: range 3-1 from high to low"},
		{"n[0-65536]", "h:1:3: range 0-65536: more than 65536 hosts"},
		{"n[0-40000,0-40000]", "h:1:11: more than 65536 hosts"},
		{"n[0-999]x[0-999]", "h:1:10: more than 65536 hosts"},
		{"n[0-999]x[0-64]y[0-1]", "h:1:17: more than 65536 hosts"},
		{"n[1234567890123456789]", `h:1:3: "1234567890123456789" in brackets`},
		{"n[0-9999999999999999999]", `in brackets`},
		{"switch{s1}", "h:1:7: '{' in the name"},
		{"a,b", "h:1:2: ',' in the name"},
		{"nöde", "h:1:2: 'ö' in the name"},
		{"a\x00", `h:1:2: '\x00' in the name`},
		{"-oProxy", "h:1:1:"},
		{".a", "h:1:1:"},
		{"fe80::g", "h:1:1:"},
		{"fe80::1%eth0", "h:1:1:"},
		{strings.Repeat("x", 254), "h:1:1: name of 254 characters"},
	} {
		if got := failure(t, Rules{}, c.text+"\n"); !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}
