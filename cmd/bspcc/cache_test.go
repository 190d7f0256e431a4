//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// A directory is the user's own if other users can neither write nor replace it.
func TestIsOwn(t *testing.T) {
	base := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	dir := func(name string, mode os.FileMode) string {
		path := filepath.Join(base, name)
		must.Do(t, os.MkdirAll(path, 0o700))
		must.Do(t, os.Chmod(path, mode))
		return path
	}
	must.Do(t, os.Chmod(base, 0o755))
	must.Do(t, os.WriteFile(filepath.Join(base, "file"), nil, 0o600))
	must.Do(t, os.Symlink(dir("open", 0o777), filepath.Join(base, "link")))
	dir("open/own", 0o700)
	dir("own", 0o755)
	dir("group", 0o775)
	dir("sticky", 0o777|os.ModeSticky)
	dir("sticky/own", 0o700)
	for path, want := range map[string]string{
		"own": "", "own/not/there": "", "sticky/own": "", "sticky/own/not/there": "",
		"open": "can write", "open/own": "can write", "group": "can write", "group/not/there": "can write",
		"sticky": "can write", "sticky/not/there": "can write",
		"link": "can write", "link/own/not/there": "can write",
		"file": "is not a directory", "file/not/there": "not a directory",
	} {
		if err := isOwn(filepath.Join(base, path)); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can give directories away")
	}
	must.Do(t, os.Chown(dir("theirs", 0o755), 65534, 65534))
	dir("theirs/own", 0o700)
	for _, path := range []string{"theirs", "theirs/not/there", "theirs/own"} {
		if err := isOwn(filepath.Join(base, path)); err == nil || !strings.Contains(err.Error(), "theirs belongs to user 65534, and this is user 0") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Root compiles with another user's HOME, and leaves no files there. A library that another user
// has put into the cache, or could have, is not used.
func TestCacheOfOthers(t *testing.T) {
	bin := commands(t, "cgo")
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "hello.c"), []byte(hello), 0o666))
	compile := func(home string) {
		t.Helper()
		c := testrun.Command{Words: []string{filepath.Join(bin, "bspcc"), "hello.c", "-o", "hello"}, Dir: dir, Env: []string{"XDG_CACHE_HOME=", "HOME=" + home}}
		c.Must(t)
	}
	home := filepath.Join(dir, "home")
	must.Do(t, os.Mkdir(home, 0o755))
	compile(home)
	kept := must.Get(filepath.Glob(filepath.Join(home, ".cache/migbsp/bspcc-*")))(t)
	if len(kept) != 1 {
		t.Fatalf("libraries in the user's own cache: %q", kept)
	}
	if info := must.Get(os.Stat(filepath.Dir(kept[0])))(t); info.Mode().Perm() != 0o700 {
		t.Errorf("the cache has the mode %v", info.Mode())
	}
	forged := filepath.Join(kept[0], archiveName)
	must.Do(t, os.WriteFile(forged, []byte("forged"), 0o600))
	must.Do(t, os.Chmod(kept[0], 0o777))
	compile(home)
	if os.Geteuid() != 0 {
		t.Skip("only root can use another user's HOME")
	}
	theirs := filepath.Join(dir, "theirs")
	must.Do(t, os.MkdirAll(filepath.Join(theirs, ".cache"), 0o755))
	for _, path := range []string{theirs, filepath.Join(theirs, ".cache")} {
		must.Do(t, os.Chown(path, 65534, 65534))
	}
	compile(theirs)
	filepath.Walk(theirs, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.Sys().(*syscall.Stat_t).Uid == 0 {
			t.Errorf("root leaves %s: %v", path, err)
		}
		return nil
	})
}
