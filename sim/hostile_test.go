//go:build unix

package sim

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// A file of hosts can be another user's. Files that it names have to be regular files, so that
// none of them is waited for or fills the memory.
func TestFilesThatHostsName(t *testing.T) {
	dir := t.TempDir()
	hosts, pipe := filepath.Join(dir, "hosts"), filepath.Join(dir, "pipe")
	must.Do(t, syscall.Mkfifo(pipe, 0o600))
	for name, want := range map[string]string{"pipe": pipe + " is a pipe; expected a regular file", "/dev/zero": "/dev/zero is a device; expected a regular file"} {
		text := "#@set s speed=1 rate=1GB/s latency=1us\nh slots=1\n#@host h share=" + name + "\n"
		must.Do(t, os.WriteFile(hosts, []byte(text), 0o600))
		if _, err := Read(hosts); err == nil || !strings.HasPrefix(err.Error(), hosts+":3:") || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("share=%s: %v, want %s", name, err, want)
		}
	}
}

// A platform without an end is not read to its end.
func TestEndlessPlatform(t *testing.T) {
	if _, err := Read("/dev/zero"); err == nil || err.Error() != "/dev/zero has more than 67108864 bytes; expected a platform" {
		t.Errorf("%v", err)
	}
}
