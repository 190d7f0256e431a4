//go:build unix

package checkpoint

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Every reader refuses a manifest or a part that is a pipe or a device at once.
func TestCheckpointsAreRegularFiles(t *testing.T) {
	dir := t.TempDir()
	path, m := made(t, dir, "run")
	for kind, replace := range map[string]func(name string) error{
		"a pipe":   func(name string) error { return syscall.Mkfifo(name, 0o600) },
		"a device": func(name string) error { return os.Symlink("/dev/zero", name) },
	} {
		part := filepath.Join(path, m.Parts[0].File)
		must.Do(t, os.Rename(part, part+".kept"))
		must.Do(t, replace(part))
		if err := readBack(&Source{path, m}, all); err == nil || err.Error() != part+" is "+kind+"; expected a regular file" {
			t.Errorf("a part that is %s: %v", kind, err)
		}
		must.Do(t, os.Rename(part+".kept", part))

		manifest := filepath.Join(path, manifestName)
		must.Do(t, os.Rename(manifest, manifest+".kept"))
		must.Do(t, replace(manifest))
		want := manifest + " is " + kind + "; expected a regular file"
		if _, err := Find(path); err == nil || err.Error() != want {
			t.Errorf("a manifest that is %s: %v", kind, err)
		}
		if _, err := Newest(dir, nil); err == nil || err.Error() != want {
			t.Errorf("a manifest that is %s, among others: %v", kind, err)
		}
		if number, err := readNumber(path); err == nil {
			t.Errorf("a manifest that is %s has the number %d", kind, number)
		}
		must.Do(t, os.Rename(manifest+".kept", manifest))
	}
	if err := readBack(must.Get(Find(path))(t), all); err != nil {
		t.Error(err)
	}
}

// A manifest is not read if it is too long, not decoded if it takes far more memory than bytes,
// and its errors do not repeat long texts.
func TestManifestsThatTakeMemory(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, manifestName)
	must.Do(t, os.WriteFile(name, nil, 0o600))
	must.Do(t, os.Truncate(name, mostManifest+1)) // with a hole
	if _, err := Find(dir); err == nil || err.Error() != name+" has more than 268435456 bytes; expected at most that many" {
		t.Errorf("%v", err)
	}
	whole := text(t)
	dense := forged(whole, `"parts": [`, `"parts": [`+strings.Repeat("{},", 1<<18))
	if _, err := parse("f", dense); err == nil || !strings.HasPrefix(err.Error(), "f:1:1: 262") || !strings.Contains(err.Error(), "of JSON; expected at least 16 bytes for each") {
		t.Errorf("%v", err)
	}
	long := forged(whole, `"run": "run"`, `"run": "`+strings.Repeat("x", 1<<20)+`"`)
	if _, err := parse("f", long); err == nil || len(err.Error()) > 500 {
		t.Errorf("%.600v", err)
	}
}

// Processes that cannot fit into memory are refused before memory is asked for.
func TestProcessesThatTakeMemory(t *testing.T) {
	path, m := made(t, t.TempDir(), "run")
	r := &m.Parts[0].Records[len(m.Parts[0].Records)-1]
	grown := int64(1)<<49 - r.Bytes
	r.Bytes += grown
	m.Parts[0].Bytes += grown
	must.Do(t, m.Parts[0].check(m.Ranks))
	s := &Source{path, m}
	if err := s.checkMemory(all, 1<<40); err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.HasSuffix(err.Error(), "of the processes of this rank take 512 TiB, expected at most the 1 TiB of memory and swap space that this host has") {
		t.Errorf("%v", err)
	}
	if err := s.checkMemory(all, 0); err != nil {
		t.Errorf("where the memory is not known: %v", err)
	}
	if hostMemory() > 0 {
		if err := s.Read(all, func(int, []byte, func([][]byte) error) error { return nil }); err == nil || !strings.Contains(err.Error(), "that this host has") {
			t.Errorf("%v", err)
		}
	}
}
