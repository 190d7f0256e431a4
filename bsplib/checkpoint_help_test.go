package bsplib_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// checkpointsIn are the complete checkpoints in a directory, by name.
func checkpointsIn(t testing.TB, dir string) []string {
	t.Helper()
	all := must.Get(filepath.Glob(filepath.Join(dir, "*", "manifest.json")))(t)
	for i := range all {
		all[i] = filepath.Base(filepath.Dir(all[i]))
	}
	slices.Sort(all)
	return all
}

// changed puts other text into a file.
func changed(t testing.TB, name string, change func([]byte) []byte) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, change(text), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}
