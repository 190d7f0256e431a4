//go:build unix

package app

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger/calls"
)

// The file of a run's calls replaces any file of its name. It does not follow a link or wait for a
// pipe.
func TestCallsFollowNoLinks(t *testing.T) {
	dir := t.TempDir()
	name, other := filepath.Join(dir, calls.Name), filepath.Join(dir, "other")
	must.Do(t, os.WriteFile(other, []byte("kept"), 0o600))
	for _, replace := range []func() error{
		func() error { return os.Symlink(other, name) },
		func() error { return syscall.Mkfifo(name, 0o600) },
		func() error { return os.WriteFile(name, []byte("an older run"), 0o600) },
	} {
		must.Do(t, replace())
		w := (&recording{}).callsIn(dir)
		w.Start(calls.Start{Where: make([]int32, 2)})
		must.Do(t, w.Close())
		is, err := os.Lstat(name)
		text := string(must.Get(os.ReadFile(name))(t))
		if err != nil || !is.Mode().IsRegular() || !strings.HasPrefix(text, `{"Format":`) {
			t.Errorf("%v, %v, %q", is.Mode(), err, text)
		}
		must.Do(t, os.Remove(name))
	}
	if text := must.Get(os.ReadFile(other))(t); string(text) != "kept" {
		t.Errorf("a link was followed: %q", text)
	}
}
