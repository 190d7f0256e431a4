package ledger

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// The mapping that is kept is the last one.
func TestKeepMapping(t *testing.T) {
	var a Account
	a.Enter(&Run{Procs: 3, Ranks: []Rank{{Host: "a"}, {Host: "b"}}, Sets: []Set{{}}, Links: [][]Link{{{}}}, Mapping: Mapping{{0, 2}, {1, 1}}})
	a.Enter(&Move{Pid: 0, From: 0, To: 1})
	dir := t.TempDir()
	must.Do(t, KeepMapping(dir, &a))
	text := string(must.Get(os.ReadFile(filepath.Join(dir, MappingName)))(t))
	if want := "map,0,b,1\nmap,1,a,0\nmap,2,b,1\n"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	if files := must.Get(os.ReadDir(dir))(t); len(files) != 1 {
		t.Errorf("%v", files)
	}
	if err := KeepMapping(filepath.Join(dir, "none"), &a); err == nil {
		t.Error("a mapping is written into no directory")
	}
}

// The origin of the initial mapping replaces a setting that leaves the choice to the run.
func TestStart(t *testing.T) {
	for _, c := range []struct {
		settings []Setting
		origin   string
		left     int
	}{
		{nil, StartBlocks, 0}, {nil, "by speeds", 1}, {[]Setting{{"start", "speeds", "flag"}}, StartBlocks, 1},
		{[]Setting{{"n", "5", "flag"}, {"start", "m.csv", "flag"}}, "from m.csv", 2},
	} {
		r := Run{Settings: c.settings}
		r.StartFrom(c.origin)
		if r.Start() != c.origin || len(r.Settings) != c.left {
			t.Errorf("%v: %q, %v", c.settings, r.Start(), r.Settings)
		}
	}
}
