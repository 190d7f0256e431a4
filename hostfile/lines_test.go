package hostfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// hosts is "name:slots/max" of all hosts.
func hosts(f *File) string {
	var all []string
	for _, h := range f.Hosts {
		one := fmt.Sprintf("%s:%d", h.Name, h.Slots)
		if h.MaxSlots > 0 {
			one += fmt.Sprintf("/%d", h.MaxSlots)
		}
		if h.User != "" {
			one = h.User + "@" + one
		}
		all = append(all, one)
	}
	return strings.Join(all, " ")
}

func TestHostLines(t *testing.T) {
	gives(t, func(t *testing.T, text string) string { return hosts(parse(t, text)) }, []row{
		{"blank lines", "\n\na\n \t\nb\n\n", "a:1 b:1"},
		{"tabs", "\ta\tslots=2\t\n", "a:2"},
		{"no line feed at the end", "a slots=2", "a:2"},
		{"full-line comment", "# c\n  # c\na\n", "a:1"},
		{"comment behind", "a slots=2 # c\nb slots=3#c\nc#c\n", "a:2 b:3 c:1"},
		{"slashes", "// c\na slots=2 // c\n", "a:2"},
		{"block comments", "/* x */ a /* y */ slots=2 /* z */\n/*\nb\n*/c\n", "a:2 c:1"},
		{"# in a comment over lines", "/* # */ a\n", "a:1"},
		{"/* in a comment to the end", "# /*\na\n", "a:1"},
		{"spaces round =", "a slots = 2 max_slots\t=\t4\n", "a:2/4"},
		{"repeated without slots", "a\nb\na\na\n", "a:3 b:1"},
		{"slots, then again without", "a slots=4\na\n", "a:5"},
		{"hydra repeats add up", "a:2\nb\na:3\n", "a:5 b:1"},
		{"no slots", "a slots=0\nb\n", "a:0 b:1"},
		{"max_slots alone", "a max-slots=3\n", "a:3/3"},
		{"max_slots with slots", "a slots=2 slots_max=3\n", "a:2/3"},
		{"user", "root@a slots=2\nb username=bob\nc user-name=\"eve\"\nd:2 user=al\n", "root@a:2 bob@b:1 eve@c:1 al@d:2"},
		{"left out", "a port=22 boards=1 sockets_per_board=2 cores=4 binding=user:0\n", "a:1"},
		{"IPv4", "10.0.0.1 slots=2\n10.0.0.2:3\n", "10.0.0.1:2 10.0.0.2:3"},
		{"IPv6", "fe80::1 slots=2\n[fe80::2]:3\n[FE80:0::3]\n", "fe80::1:2 fe80::2:3 fe80::3:1"},
		{"digits", "123\n", "123:1"},
		{"host called rank", "rank slots=2\n", "rank:2"},
		{"rankfile", "rank 0=b slot=0\nrank 1 = b slot=1:0-3\nrank 2=a slot=0,1\n", "b:2 a:1"},
		{"case", "Node1\nnode1\n", "Node1:2"},
		{"short and full name", "a\na.b.c\n", "a.b.c:2"},
		{"full and short name", "a.b.c slots=2\na\n", "a.b.c:3"},
		{"two domains", "a.b.c slots=2\na.x.y slots=3\n", "a.b.c:2 a.x.y:3"},
		{"excluded", "n[1-4] slots=2\n^n[2-3]\n", "n1:2 n4:2"},
		{"excluded before", "^b\na\nb\n", "a:1"},
		{"a number twice in brackets", "n[1,1-2]\n", "n1:2 n2:1"},
	})
}

func TestSlotSynonyms(t *testing.T) {
	for _, key := range []string{"slots", "cpu", "count"} {
		for _, limit := range []string{key + "_max", key + "-max", "max_" + key, "max-" + key} {
			text := fmt.Sprintf("a %s=2 %s=5\n", key, limit)
			if got := hosts(parse(t, text)); got != "a:2/5" {
				t.Errorf("%q: %s", text, got)
			}
		}
	}
}

func TestFullNames(t *testing.T) {
	f := must.Get(Rules{FullNames: true}.Parse("h", strings.NewReader("a slots=2\na.b.c slots=3\n")))(t)
	if got, want := hosts(f), "a:2 a.b.c:3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWarnings(t *testing.T) {
	for _, c := range []row{
		{"CR LF", "a\r\nb\r\n", "h:1:2: lines that end with CR LF"},
		{"comment at the end", "a\n# c", "h:2:1: comment on a last line that does not end"},
		{"pragma at the end", "#@set x nodes=a\na\n#@host a speed=2", "h:3:1: comment on a last line that does not end"},
		{"pragma within a line", "a\n #@set x\n", `h:2:2: "#@" within a line`},
		{"unknown pragma", "#@sets x\na\n", `h:1:3: "#@sets", which is read as a comment, expected #@set, #@host, #@link or #@platform`},
		{"pragma without word", "#@ set x\na\n", `h:1:3: "#@", which is read as a comment`},
		{"case", "A1\na1\n", "h:2:1: host a1, here the same as A1 of line 1"},
		{"two domains", "a.b\na.c\n", "h:2:1: host a.c, which Open MPI takes for a.b of line 1"},
		{"digits", "12\n", `h:1:1: host "12" of digits`},
		{"forms of two MPIs", "a slots=2\nb:2\nc:2\n", "h:2:1: slots= (line 1, Open MPI) and host:n (line 2, hydra)"},
		{"comment behind hydra's form", "b:2 # c\n", "h:1:5: comment behind a host"},
		{"order of a rankfile", "rank 1=a slot=0\nrank 0=b slot=0\n", "h:2:6: rank 0 out of order"},
		{"excluded", "a\nb\n^b\n", "h:3:1: ^ before a host"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := warnings(parse(t, c.text))
			if len(got) != 1 || !strings.HasPrefix(got[0], c.want) {
				t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
			}
		})
	}
}

func TestWhatNeedsNoWarning(t *testing.T) {
	for _, text := range []string{
		"a slots=2 # c\n# c\n", "a:2\nb:3\n", "a\na\na.b.c\n", "rank 0=a slot=0\nrank 1=b slot=0\nrank 2=b slot=1\n",
		"10.0.0.1\n10.0.0.2\n", "n[01-04]-ib slots=2\n", "a\n/* c */",
	} {
		if got := warnings(parse(t, text)); len(got) > 0 {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestManyWarningsEndWithOne(t *testing.T) {
	got := warnings(parse(t, strings.Repeat("#@x\n", 50)+"a\n"))
	if n := len(got); n != maxProblems+1 || !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "left out") }) {
		t.Errorf("%d warnings: %q", n, got)
	}
}

// Files that no Parse made may have Sets where nothing runs.
func TestManagerOfASetWithoutSlots(t *testing.T) {
	f := &File{Hosts: []Host{{Name: "a", Slots: 1}, {Name: "b", Set: 1}}, Sets: []Set{{Name: "x"}, {Name: "y", Manager: "b"}}}
	if got := f.Manager(1); got != -1 {
		t.Errorf("rank %d", got)
	}
}

// Figures of such files are written though no line gave them.
func TestFiguresWithoutLinesAreWritten(t *testing.T) {
	s := newSet("x", 0)
	s.Speed, s.Memory = 0.5, 1<<20
	f := &File{Hosts: []Host{{Name: "a", Slots: 1, Speed: 0.25, Memory: 1 << 20}}, Sets: []Set{s}, Barrier: 1000}
	want := "#@platform barrier=1us\n#@set x speed=0.5 memory=1MiB\na slots=1\n#@host a speed=0.25\n"
	if got := written(f); got != want || !f.Emulated() {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
