//go:build linux

package profile

import (
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Where no profile can be written, the error has the reason, and the earlier profile is still there.
func TestFullDisk(t *testing.T) {
	s := &Store{Dir: t.TempDir()}
	must.Do(t, s.Save(made()))
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var before syscall.Rlimit
	must.Do(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	must.Do(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100, Max: before.Max}))
	err := s.Save(made())
	must.Do(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before))
	if !errors.Is(err, syscall.EFBIG) {
		t.Errorf("%v", err)
	}
	if p, err := s.Load(made().Key, nil); p == nil || err != nil {
		t.Errorf("%v, %v", p, err)
	}
	if files := must.Get(os.ReadDir(s.Dir))(t); len(files) != 1 {
		t.Errorf("files are %v", files)
	}
}

// A directory that is a file, or lies below one, is an error of one line.
func TestNoDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(file, nil, 0o600))
	for _, dir := range []string{file, filepath.Join(file, "below"), "/proc/none"} {
		s := &Store{Dir: dir}
		if err := s.Save(made()); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", dir, err)
		}
		if p, err := s.Load(made().Key, nil); p != nil || !errors.Is(err, fs.ErrNotExist) && err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v", dir, p, err)
		}
	}
	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	if dir, err := DefaultDir(); err == nil {
		t.Errorf("without a home: %s", dir)
	}
}

// Pipes and devices are ignored, and never waited for.
func TestRegularFilesOnly(t *testing.T) {
	s := &Store{Dir: t.TempDir()}
	near := variant("1", "beta1", 2)
	must.Do(t, s.Save(near))
	for want, make := range map[string]func(string) error{
		"is a pipe":   func(name string) error { return syscall.Mkfifo(name, 0o600) },
		"is a device": func(name string) error { return os.Symlink("/dev/zero", name) },
	} {
		must.Do(t, make(s.path(made().ID())))
		if p, err := s.Load(made().Key, nil); p == nil || p.Step != 2 || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", want, p, err)
		}
		if p, err := s.Load(variant("9", "beta1", 2).Key, nil); p == nil || p.Step != 2 || err != nil {
			t.Errorf("%s, as a hint: %v, %v", want, p, err)
		}
		must.Do(t, s.Remove(made().ID()))
	}
}
