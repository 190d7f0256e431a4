package settings

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// second is another name of a flag.
type second struct {
	flag.Value
	of string
}

func (s second) AliasOf() string { return s.of }

// choosing has flags of all kinds that a program chooses unless it is told.
func choosing() (*flag.FlagSet, *int) {
	set := flag.NewFlagSet("lu", flag.ContinueOnError)
	n := set.Int("n", 0, "`numbers` (default: as many as there are)")
	set.Var(second{set.Lookup("n").Value, "n"}, "size", "another name")
	set.Int("none", 0, "without a default that is a choice")
	set.Int("block", 64, "`width` (default: not this)")
	set.String("grid", "", "`MxN` (default: square)")
	set.String("in", "", "`file` to read (default: none)")
	return set, n
}

// What the program chooses is auto, and can be set to that, which counts before what
// comes later. Another name of a flag is no setting of its own.
func TestAuto(t *testing.T) {
	for _, c := range []struct {
		args []string
		file string
		want string // name=value@origin
		n    int
	}{
		{nil, "", "block=64@default grid=auto@default in=@default n=auto@default none=0@default", 0},
		{[]string{"-n", "auto"}, "n = 4", "block=64@default grid=auto@default in=@default n=auto@flag none=0@default", 0},
		{[]string{"-size", "7"}, "n = 4", "block=64@default grid=auto@default in=@default n=7@flag none=0@default", 7},
		{[]string{"-in", "auto"}, "size = 4\ngrid = 'auto'", "block=64@default grid=auto@f:3 in=auto@flag n=4@f:2 none=0@default", 4},
		{nil, "size = 'auto'", "block=64@default grid=auto@default in=@default n=auto@f:2 none=0@default", 0},
	} {
		t.Chdir(t.TempDir())
		must.Do(t, os.WriteFile("f", []byte("[lu]\n"+c.file+"\n"), 0o666))
		set, n := choosing()
		values := must.Get(Sources{Program: "lu", Own: []string{"n", "size", "none", "block", "grid", "in"}, Files: []string{"f"}}.Resolve(set, c.args))(t)
		got := ""
		other, m := choosing()
		for _, v := range values {
			got += " " + v.Name + "=" + v.Shown() + "@" + filepath.Base(v.Origin)
			if err := v.Apply(other); err != nil {
				t.Errorf("%q, %q: %v", c.args, c.file, err)
			}
		}
		if got[1:] != c.want || *n != c.n || *m != c.n {
			t.Errorf("%q, %q: %s, n %d and elsewhere %d; want %s, %d", c.args, c.file, got[1:], *n, *m, c.want, c.n)
		}
	}
	for _, args := range [][]string{{"-none", "auto"}, {"-block", "auto"}} {
		set, _ := choosing()
		if _, err := (Sources{Program: "lu"}).Resolve(set, args); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}
