package hostfile

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// setsOf is "set(hosts)" for all Sets.
func setsOf(f *File) string {
	var all []string
	for i, s := range f.Sets {
		var names []string
		for _, h := range f.Hosts {
			if h.Set == i {
				names = append(names, h.Name)
			}
		}
		all = append(all, fmt.Sprintf("%s(%s)", s.Name, strings.Join(names, " ")))
	}
	return strings.Join(all, " ")
}

func TestSets(t *testing.T) {
	gives(t, func(t *testing.T, text string) string { return setsOf(parse(t, text)) }, []row{
		{"none", "a\nb\n", "default(a b)"},
		{"sections", "#@set x\na\nb\n#@set y\nc\n", "x(a b) y(c)"},
		{"before the first", "a\n#@set x\nb\n", "x(b) default(a)"},
		{"nodes", "a1\nb1\na2\nb2\n#@set a nodes=a[1-2]\n#@set b nodes=b1,b2\n", "a(a1 a2) b(b1 b2)"},
		{"nodes ends a section", "#@set x\na\n#@set y nodes=b\nb\nc\n", "x(a) y(b) default(c)"},
		{"both forms, the same host", "#@set x\na\n#@set y nodes=c\nb\nc\n", "x(a) y(c) default(b)"},
		{"default with figures", "a\n#@set default speed=2\nb\n", "default(a b)"},
		{"repeated within its Set", "#@set x\na\nb\na\n", "x(a b)"},
		{"first in no Set", "a\nb\n#@set x\na\n", "x(a) default(b)"},
		{"excluded from its Set", "#@set x\na\nb\n^b\n", "x(a)"},
		{"IPv6", "#@set x nodes=fe80::1,[fe80::2]\nfe80::1\nfe80::2\n", "x(fe80::1 fe80::2)"},
		{"tab and comment", "#@set\tx\tspeed=1 # fast\na\n", "x(a)"},
		{"in a comment", "/*\n#@set x\n*/\na\n", "default(a)"},
		{"CR LF", "#@set x\r\na\r\n", "x(a)"},
	})
}

func TestWrongPragmas(t *testing.T) {
	refuses(t, by(Rules{}), []row{
		{"unknown attribute", "#@set x color=red\na\n", `h:1:9: attribute "color", expected manager, nodes, speed, rate, latency or memory`},
		{"attribute twice", "#@set x speed=1 speed=2\na\n", "h:1:17: speed= again"},
		{"attribute without value", "#@set x speed\na\n", `h:1:9: "speed" without a value`},
		{"no name", "#@set\na\n", `h:1:6: "" where a Set is named`},
		{"attribute for a name", "#@set speed=1\na\n", `h:1:7: "speed" where a Set is named`},
		{"name", "#@set a/b\na\n", `h:1:8: "a/b" as the name of a Set`},
		{"Set twice", "#@set x\na\n#@set x\nb\n", "h:3:7: Set x, which is on line 1 already"},
		{"host in two sections", "#@set x\na\n#@set y\nb\na\n", "h:5:1: host a in Set y, which line 2 puts into Set x"},
		{"host in section and nodes", "#@set x\na\nb\n#@set y nodes=b\n", "h:4:15: host b in Set y, which line 3 puts into Set x"},
		{"host in nodes twice", "#@set x nodes=a\n#@set y nodes=a\na\n", "h:2:15: host a in Set y, which line 1 puts into Set x"},
		{"nodes that are not there", "#@set x nodes=a,b\na\n", `h:1:17: host "b", which no line of the file names`},
		{"list with a hole", "#@set x nodes=a,,b\na\nb\n", "h:1:17: no name"},
		{"open bracket in nodes", "#@set x nodes=a,b[1,2\na\n", "h:1:18: bracket that nothing closes"},
		{"Set without hosts", "#@set x\n#@set y\na\n", "h:1:1: Set x without hosts"},
		{"Set without slots", "#@set x\na slots=0\n#@set y\nb\n", "h:1:1: Set x without slots"},
		{"default without slots", "a slots=0\n#@set y\nb\n", "h:1:1: Set default without slots"},
		{"manager elsewhere", "#@set x manager=b\na\n#@set y\nb\n", `h:1:17: manager "b", expected a host of Set x`},
		{"manager unknown", "#@set x manager=b\na\n", `h:1:17: manager "b", expected a host of Set x`},
		{"manager excluded", "#@set x manager=a\na\nb\n^a\n", `h:1:17: manager "a", expected a host of Set x`},
		{"manager without slots", "#@set x manager=a\na slots=0\nb\n", `h:1:17: manager "a", which has no slots`},
		{"many managers", "#@set x manager=a[1-2]\na[1-2]\n", `h:1:17: manager "a[1-2]", expected one host`},
		{"ambiguous manager", "#@set x manager=a\na.b\na.c\n", `h:1:17: host "a", which may be a.b of line 2 or a.c of line 3`},
		{"host without figures", "a\n#@host a\n", "h:2:9: #@host without figures"},
		{"figures of no host", "a\n#@host speed=1\n", "h:2:13: '=' in the name"},
		{"figures of an unknown host", "a\n#@host a,b speed=1\n", `h:2:10: host "b", which no line of the file names`},
		{"figure twice", "a[1-2]\n#@host a1 speed=1\n#@host a[1-2] speed=2\n", "h:3:21: figure of host a1 again after line 2"},
		{"share with a quotation mark", "a\n#@host a share=x\"y\n", `h:2:17: quotation mark in the name of a file, expected none, or all of the name between two`},
		{"share twice", "a\n#@host a share=x\n#@host a share=y\n", "h:3:16: figure of host a again after line 2"},
		{"share of an unknown host", "a\n#@host b share=x\n", `h:2:8: host "b", which no line of the file names, expected one of its hosts`},
		{"share of an unknown Set", "#@set x\na\n#@link x z share=y\n", `h:3:10: Set "z"`},
		{"rate of a host", "a\n#@host a rate=1Gb/s\n", `h:2:10: attribute "rate", expected speed, memory or share`},
		{"link of an unknown Set", "#@set x\na\n#@set y\nb\n#@link x z\n", `h:5:10: Set "z", expected x or y`},
		{"link of one Set", "#@set x\na\n#@link x\n", `h:3:9: "" where a Set is named`},
		{"link to itself", "#@set x\na\n#@link x x rate=1Gb/s\n", "h:3:10: link from Set x to itself"},
		{"link twice", "#@set x\na\n#@set y\nb\n#@link x y\n#@link y x\n", "h:6:8: link of y and x again after line 5"},
		{"barrier twice", "#@platform barrier=1us\n#@platform barrier=2us\na\n", "h:2:20: barrier again after line 1"},
		{"unknown figure of a platform", "#@platform speed=1\na\n", `h:1:12: attribute "speed", expected barrier`},
	})
}

const platform = `#@set A manager=a2 speed=0.10 rate=1Gb/s latency=50us memory=4GiB
a1 slots=2
a2 slots=2
#@set B speed=0.04
b[1-4] slots=1
#@set C rate=100Mb/s latency=1ms
c1 slots=0
c2 slots=3
#@host b2,c1 speed=0.02
#@host a1 memory=1GiB
#@link B A rate=100Mb/s latency=2ms
#@link C B latency=5ms
#@platform barrier=20us
`

func TestFiguresOfHosts(t *testing.T) {
	f := parse(t, platform)
	if f.Barrier != 20*time.Microsecond {
		t.Errorf("barrier %v", f.Barrier)
	}
	for i, want := range []struct {
		speed  float64
		memory int64
	}{{0.10, 1 << 30}, {0.10, 4 << 30}, {0.04, 0}, {0.02, 0}, {0.04, 0}, {0.04, 0}, {0.02, 0}, {1, 0}} {
		if h := f.Hosts[i]; h.Speed != want.speed || h.Memory != want.memory {
			t.Errorf("host %s: speed %g, memory %d, want %+v", h.Name, h.Speed, h.Memory, want)
		}
	}
}

func TestBetween(t *testing.T) {
	f := parse(t, platform)
	for _, want := range []Link{
		{A: 0, B: 0, Rate: 125e6, Latency: 50 * time.Microsecond},
		{A: 1, B: 1, Rate: DefaultRate, Latency: DefaultLatency},
		{A: 0, B: 1, Rate: 12.5e6, Latency: 2 * time.Millisecond, Line: 11},
		{A: 1, B: 0, Rate: 12.5e6, Latency: 2 * time.Millisecond, Line: 11},
		{A: 0, B: 2, Rate: 12.5e6, Latency: 1050 * time.Microsecond},
		{A: 1, B: 2, Rate: 12.5e6, Latency: 5 * time.Millisecond, Line: 12},
	} {
		if got := f.Between(want.A, want.B); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestPlace(t *testing.T) {
	f := parse(t, platform)
	want := []int{0, 0, 1, 1, 2, 3, 4, 5, 7, 7, 7}
	if f.Ranks() != len(want) {
		t.Errorf("%d ranks, want %d", f.Ranks(), len(want))
	}
	for rank, host := range want {
		if got := f.Place(rank); got != host {
			t.Errorf("rank %d on host %d, want %d", rank, got, host)
		}
	}
	for _, rank := range []int{-1, len(want)} {
		if got := f.Place(rank); got != -1 {
			t.Errorf("rank %d on host %d", rank, got)
		}
	}
}

func TestManager(t *testing.T) {
	f := parse(t, platform)
	for set, want := range []int{2, 4, 8} {
		if got := f.Manager(set); got != want {
			t.Errorf("Set %d: rank %d, want %d", set, got, want)
		}
	}
	if f = parse(t, "#@set x manager=A\na.b.c\n"); f.Sets[0].Manager != "a.b.c" || f.Manager(0) != 0 {
		t.Errorf("manager %q, rank %d", f.Sets[0].Manager, f.Manager(0))
	}
}

func TestEmulated(t *testing.T) {
	for text, want := range map[string]bool{
		"a\n":                                  false,
		"#@set x manager=a\na\n#@set y\nb\n":   false,
		"#@set x speed=1\na\n":                 true,
		"#@set x rate=10Gb/s\na\n":             true,
		"#@set x latency=20us\na\n":            true,
		"#@set x memory=0\na\n":                true,
		"#@host a speed=1\na\n":                true,
		"#@host a memory=0\na\n":               true,
		"#@platform barrier=0s\na\n":           true,
		"#@platform\na\n":                      false,
		"#@set x\na\n#@set y\nb\n#@link x y\n": true,
	} {
		if got := parse(t, text).Emulated(); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
