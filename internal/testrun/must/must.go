// Package must ends tests on errors in their preparation, so that tests need no code for unrelated
// errors, and checks that texts contain given parts.
package must

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Do ends the test if err is not nil.
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get returns the value of a call, or ends the test if the call failed:
//
//	text := must.Get(os.ReadFile(name))(t)
func Get[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Do(t, err)
		return value
	}
}

// Write writes a file, whose directory need not be there yet.
func Write(t testing.TB, name, text string, mode fs.FileMode) {
	t.Helper()
	Do(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), mode)))
}

// Hold fails the test, without ending it, if a directory does not have the given number of entries.
func Hold(t testing.TB, dir string, entries int) {
	t.Helper()
	if all := Names(t, dir); len(all) != entries {
		t.Errorf("in %s are %v, want %d entries", dir, all, entries)
	}
}

// Names returns the names of the files in a directory.
func Names(t testing.TB, dir string) (names []string) {
	t.Helper()
	for _, e := range Get(os.ReadDir(dir))(t) {
		names = append(names, e.Name())
	}
	return names
}

// Have fails the test, without ending it, for each part that the text lacks.
func Have(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%.20000s", part, text)
		}
	}
}
