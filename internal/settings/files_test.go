package settings

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestFiles(t *testing.T) {
	const here, site = "migbsp.toml", "/etc/migbsp/config.toml"
	for _, c := range []struct{ environ, want []string }{
		{nil, []string{here, site}},
		{[]string{"HOME=/h"}, []string{here, "/h/.config/migbsp/config.toml", site}},
		{[]string{"HOME=/h", "XDG_CONFIG_HOME=/x"}, []string{here, "/x/migbsp/config.toml", site}},
		{[]string{"HOME=/h", "XDG_CONFIG_HOME=relative"}, []string{here, "/h/.config/migbsp/config.toml", site}},
		{[]string{"HOME=", "XDG_CONFIG_HOME="}, []string{here, site}},
	} {
		if got := Files(c.environ); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.environ, got, c.want)
		}
	}
}

// A file below what is no directory does not exist either, but one that cannot
// be read is told of.
func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("procs = 3"), 0o666); err != nil {
		t.Fatal(err)
	}
	values, err := Sources{Files: []string{filepath.Join(file, "below"), file}}.Resolve(newProgram().FlagSet, nil)
	if got, want := said(values), "procs=3@"+file+":1"; err != nil || got != want {
		t.Errorf("%v, %s, want %s", err, got, want)
	}
	if _, err := (Sources{Files: []string{dir, file}}).Resolve(newProgram().FlagSet, nil); err == nil {
		t.Error("a directory in place of a file is passed over")
	}
}
