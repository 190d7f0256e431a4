package main

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
)

// What scripts/install builds and puts somewhere works there, and it takes all of it away
// again.
func TestInstalled(t *testing.T) {
	if testing.Short() {
		t.Skip("builds all programs")
	}
	root := filepath.Join(t.TempDir(), "root")
	install := testrun.Line("../../scripts/install", "")
	install.Env = []string{"DESTDIR=" + root, "PREFIX=/usr"}
	install.Must(t)
	if out := testrun.Line(filepath.Join(root, "usr/bin/migbsp"), "version").Must(t); !strings.HasPrefix(out, "migbsp ") {
		t.Errorf("its version is %q", out)
	}
	install.Words = append(install.Words, "uninstall")
	install.Must(t)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("it leaves %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
