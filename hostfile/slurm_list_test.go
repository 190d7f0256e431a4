package hostfile

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestSlurmLists(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{" \n,\n", ""},
		{"a", "a"},
		{"n[1-3],gpu1", "n1 n2 n3 gpu1"},
		{"n003,n001,n002", "n003 n001 n002"},
		{"n[3,1-2],n1,n1", "n3 n1 n2 n1 n1"},
		{"a b\tc\nd[1-2] e\r\nf", "a b c d1 d2 e f"},
		{",,a,,b,", "a b"},
	} {
		names, err := ParseSlurmList("v", c.text)
		if got := strings.Join(names, " "); err != nil || got != c.want {
			t.Errorf("%q: got %s, %v, want %s", c.text, got, err, c.want)
		}
	}
}

func TestWrongSlurmLists(t *testing.T) {
	refuses(t, func(text string) ([]string, error) { return ParseSlurmList("v", text) }, []row{
		{"open bracket", "a,b[1-2],c[3", "v:1:11: bracket that nothing closes, expected ] after the numbers"},
		{"open bracket in a later line", "a\nb c[1", "v:2:4: bracket that nothing closes"},
		{"blank in brackets", "a,n[1, 2]", `v:1:7: " 2" in brackets`},
		{"too many", strings.Repeat("n[1-65536],", 65), "v:1:705: more than 4194304 names of hosts in all"},
		{"function", "a,switch{s1,s2}", `v:1:3: "switch{s1,s2}", a function that only Slurm's controller knows, expected names of hosts`},
		{"function with brackets", "block{b[1-2]},a", `v:1:1: "block{b[1-2]}", a function`},
		{"semicolon", "a;b", "v:1:2: ';' in the name"},
		{"comment", "a#b", "v:1:2: '#' in the name"},
		{"excluded", "^a", "v:1:1: '^' in the name"},
	})
}

func TestFormatSlurmList(t *testing.T) {
	for _, c := range []struct{ hosts, want string }{
		{"", ""},
		{"a", "a"},
		{"n1", "n1"},
		{"n003 n001 n002", "n[003,001-002]"},
		{"n1 n2 n3 gpu1", "n[1-3],gpu1"},
		{"n9 n10 n11 n99 n100", "n[9-11,99-100]"},
		{"n09 n10 n099 n100", "n[09-10,099-100]"},
		{"n1 n01 n001", "n[1,01,001]"},
		{"n1 n1 n2", "n[1,1-2]"},
		{"n3 n2 n1", "n[3,2,1]"},
		{"n1 m1 n2", "n1,m1,n2"},
		{"gpu1-ib gpu2-ib", "gpu1-ib,gpu2-ib"},
		{"r0n00 r0n01 r1n00", "r0n[00-01],r1n00"},
		{"1 2", "1,2"},
		{"10.0.0.1 10.0.0.2", "10.0.0.[1-2]"},
		{"fe80::1 fe80::2", "fe80::1,fe80::2"},
		{"n999999999999999999 n1000000000000000000", "n999999999999999999,n1000000000000000000"},
	} {
		if got := FormatSlurmList(strings.Fields(c.hosts)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.hosts, got, c.want)
		}
	}
}

// checkFolds looks whether a list survives folding.
func checkFolds(t *testing.T, hosts []string) {
	t.Helper()
	folded := FormatSlurmList(hosts)
	again, err := ParseSlurmList("v", folded)
	if err != nil || !slices.Equal(again, hosts) {
		t.Fatalf("%q is folded to %q, which is %q, %v", hosts, folded, again, err)
	}
}

// Folding a list and expanding it again gives the same list.
func TestRandomListsSurviveFolding(t *testing.T) {
	r := source{rand.New(rand.NewPCG(5, 6))}
	for range 20000 {
		var hosts []string
		for range r.IntN(12) {
			number := strconv.Itoa(r.IntN(13))
			hosts = append(hosts, r.pick("n", "n", "n", "n", "gpu", "r1n", "x-", "")+r.pick("", "", "0", "00", "9")+number+r.pick("", "", "", "", "-ib", ".x", ".x2"))
		}
		checkFolds(t, hosts)
	}
}

func TestLongListsSurviveFolding(t *testing.T) {
	var hosts []string
	for i := range maxHosts + 5 {
		hosts = append(hosts, "n"+strconv.Itoa(i))
	}
	checkFolds(t, hosts)
}

func TestSlurmCounts(t *testing.T) {
	for _, c := range []struct {
		text string
		want []int
	}{
		{"", nil},
		{"2(x3),1", []int{2, 2, 2, 1}},
		{"2(x5)\n", []int{2, 2, 2, 2, 2}},
		{"0,16", []int{0, 16}},
	} {
		got, err := ParseSlurmCounts("v", c.text)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: got %v, %v, want %v", c.text, got, err, c.want)
		}
	}
	refuses(t, func(text string) ([]int, error) { return ParseSlurmCounts("v", text) }, []row{
		{"no count", "2(x3),", `v:1:7: "" as a count, expected a number such as 2, or 2(x3) for three hosts`},
		{"repeated without a number", "2(x)", `v:1:1: "2(x)" as a count`},
		{"open parenthesis", "2(x3", `v:1:1: "2(x3" as a count`},
		{"never", "2(x0)", `v:1:1: "2(x0)" as a count`},
		{"other form", "1,2x3", `v:1:3: "2x3" as a count`},
		{"negative", "-1", `v:1:1: "-1" as a count`},
		{"too large", "65537", `v:1:1: "65537" as a count`},
		{"too many hosts", "1,1(x65536)", `v:1:3: counts for more than 65536 hosts`},
		{"far too many hosts", "1(x9999999)", `v:1:1: counts for more than 65536 hosts`},
	})
}
