package hostfile

import (
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestFormsOfOthers(t *testing.T) {
	for _, c := range []struct {
		name       string
		form       Form
		text, want string
	}{
		{"names", SlurmHosts, "n1\nn1\nn2\n", "n1:2 n2:1"},
		{"commas", SlurmHosts, "n1,n2,n1\n", "n1:2 n2:1"},
		{"brackets", SlurmHosts, "n[1-2] n[1-3]\n", "n1:2 n2:2 n3:1"},
		{"comments", SlurmHosts, "# n9\nn1 # n8\nn2#n7\n\n", "n1:1 n2:1"},
		{"times", SlurmHosts, "n1*3,n[2-3]*2\n", "n1:3 n2:2 n3:2"},
		{"no line feed, CR LF", SlurmHosts, "n1\r\nn2", "n1:1 n2:1"},
		{"Sets", SlurmHosts, "#@set x\nn1,n2\n#@set y\nn3\n", "n1:1 n2:1 n3:1"},
		{"PE_HOSTFILE", GridEngine, "n1 4 all.q@n1 UNDEFINED\nn2 2 all.q@n2 0,1\n", "n1:4 n2:2"},
		{"two queues", GridEngine, "n1 4 a.q@n1 UNDEFINED\nn1 2 b.q@n1 UNDEFINED\n", "n1:6"},
		{"two fields", GridEngine, "# PE\nn1.x 4\n", "n1.x:4"},
		{"PBS_NODEFILE", Launchers, "n1.x\nn2.x\nn1.x\nn2.x\n", "n1.x:2 n2.x:2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := must.Get(Rules{Form: c.form}.Parse("h", strings.NewReader(c.text)))(t)
			if got := hosts(f); got != c.want || len(f.Warnings) > 0 {
				t.Errorf("got %s %q, want %s", got, warnings(f), c.want)
			}
		})
	}
}

func TestWrongFormsOfOthers(t *testing.T) {
	refuses(t, by(Rules{Form: SlurmHosts}), []row{
		{"escaped comment", "n1\nn\\#2 # c\n", `h:2:2: '\\' in the name`},
		{"times none", "n1*0\n", `h:1:4: "0" after *`},
		{"times what", "n1,n2*x\n", `h:1:7: "x" after *`},
		{"times too many", "n1*65537\n", `h:1:4: "65537" after *`},
		{"nothing times", "*3\n", "h:1:1: no name"},
		{"slots=", "n1 slots=3\n", "h:1:9: '=' in the name"},
		{"function", "a\n topo{x}\n", `h:2:2: "topo{x}", a function`},
		{"byte order mark", "\xef\xbb\xbfa\n", "h:1:1: byte order mark of UTF-8"},
		{"nothing", "# c\n", "h:1:1: a file without hosts"},
		{"a host in two Sets", "#@set x\na\n#@set y\nb,a\n", "h:4:3: host a in Set y, which line 2 puts into Set x"},
	})
	refuses(t, by(Rules{Form: GridEngine}), []row{
		{"no slots", "n1\n", `h:1:3: "" behind host n1, expected its number of slots`},
		{"slots in words", "n1 4\nn2 many q\n", `h:2:4: "many" behind host n2`},
	})
}

func TestFormOf(t *testing.T) {
	for text, want := range map[string]Form{
		"":                                     Launchers,
		"# c\n\na slots=2\nb,c\n":              Launchers,
		"a:2\n":                                Launchers,
		"me@n[1-2,4] slots=2\n":                Launchers,
		"rank 0=a slot=0,1\n":                  Launchers,
		"a slots = 2\n":                        Launchers,
		"a max_slots=2 # x, y\n":               Launchers,
		"n[1-2,4]\n":                           Launchers,
		"a,b\n":                                SlurmHosts,
		"#@set x\nn[1-2,4],m\n":                SlurmHosts,
		"a*3\n":                                SlurmHosts,
		"a b c\n":                              SlurmHosts,
		"n1 4 all.q@n1 UNDEFINED\nn2 4 x@n2 U": GridEngine,
	} {
		if got := FormOf(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestSlurmFilesSurviveWriting(t *testing.T) {
	const text = "#@set x manager=n2 speed=0.5\nn1\nn1\nn2\n#@set y\nn3\n#@link x y latency=1ms\n"
	f := parse(t, text)
	var out strings.Builder
	must.Do(t, f.WriteSlurm(&out))
	again := must.Get(Rules{Form: SlurmHosts}.Parse("h", strings.NewReader(out.String())))(t)
	if a, b := written(f), written(again); a != b {
		t.Errorf("got\n%s\nwant\n%s", b, a)
	}
	if got := f.SlurmList(); got != "n[1-3]" {
		t.Error(got)
	}
	for text, want := range map[string]string{
		"a slots=0\nb\n": "host a has no slots, which Slurm cannot say: leave it out",
		"fe80::1\n":      "host fe80::1: Slurm knows hosts by name",
	} {
		if err := parse(t, text).WriteSlurm(&out); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
