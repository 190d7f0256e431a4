package settings

import (
	"os"
	"path/filepath"
	"testing"
)

// With TableOnly, what stands above all tables is for others and is not looked
// at; the table of the program is.
func TestTableOnly(t *testing.T) {
	for _, c := range []struct{ text, want, err string }{
		{"procs = 3\nbogus = 1\n[lu]\nn = 7\n", "n=7@", ""},
		{"procs = 3\n", "", ""},
		{"[other]\nprocs = 3\n[lu]\nprocs = 4\n", "procs=4@", ""},
		{"[lu]\nbogus = 1\n", "", `:2:1: "bogus", expected a setting, a flag without its dash`},
	} {
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		values, err := Sources{Program: "lu", TableOnly: true, Files: []string{name}}.Resolve(newProgram().FlagSet, nil)
		said := said(values)
		if c.err != "" {
			if err == nil || err.Error() != name+c.err {
				t.Errorf("%q: %v, want %s", c.text, err, c.err)
			}
			continue
		}
		if err != nil || len(said) < len(c.want) || said[:len(c.want)] != c.want || (c.want == "") != (said == "") {
			t.Errorf("%q: %s, %v, want %s", c.text, said, err, c.want)
		}
	}
}
