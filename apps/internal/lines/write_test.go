package lines

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

func one(w *bufio.Writer) error {
	_, err := w.WriteString("one")
	return err
}

// A file keeps its rights, and a link to it stays a link.
func TestWriteKeepsLinksAndRights(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	must.Do(t, os.WriteFile(file, []byte("was"), 0o600))
	must.Do(t, os.Symlink(file, link))
	must.Do(t, Write(link, one))
	text, err := os.ReadFile(file)
	is, _ := os.Stat(file)
	as, _ := os.Lstat(link)
	if err != nil || string(text) != "one" || is.Mode().Perm() != 0o600 || as.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%q, %v, %v, %v", text, err, is.Mode(), as.Mode())
	}
}

// What is no file stays what it is.
func TestWriteToDevices(t *testing.T) {
	if err := Write(os.DevNull, one); err != nil {
		t.Error(err)
	}
	if err := WriteAccepted(os.DevNull, one, func(string) error { return nil }); err == nil {
		t.Error("a device was taken for a file that can be looked at")
	}
	if is, err := os.Stat(os.DevNull); err != nil || is.Mode().IsRegular() {
		t.Errorf("%v, %v", is, err)
	}
}

// What is not accepted leaves all as it was.
func TestWriteAccepted(t *testing.T) {
	dir := t.TempDir()
	name, no := filepath.Join(dir, "out"), errors.New("no")
	if err := WriteAccepted(name, one, func(string) error { return no }); err != no {
		t.Errorf("%v", err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("%v", files)
	}
	err := WriteAccepted(name, one, func(part string) error {
		if text, err := os.ReadFile(part); err != nil || string(text) != "one" {
			t.Errorf("%q, %v", text, err)
		}
		return nil
	})
	if text, _ := os.ReadFile(name); err != nil || string(text) != "one" {
		t.Errorf("%q, %v", text, err)
	}
}
