package lines

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestErrorsSayWhereAndWhat(t *testing.T) {
	numbers := func(l *Line) error {
		if l.Comment('%') {
			return nil
		}
		if _, err := l.Int(1, 9, "a digit"); err != nil {
			return err
		}
		if _, err := l.Float(); err != nil {
			return err
		}
		return l.End()
	}
	for text, want := range map[string]string{
		"":                               "",
		"1 2":                            "",
		"% x\n\n \r\n1\t-2.5e3 ":         "",
		"1 2\n  0 2":                     `f:2:3: read "0"; expected a digit from 1 to 9`,
		"10 2":                           `f:1:1: read "10"; expected a digit from 1 to 9`,
		"1 x":                            `f:1:3: read "x"; expected a number`,
		"1 1e999":                        `f:1:3: read "1e999"; expected a number`,
		"1 nan":                          `f:1:3: read "nan"; expected a number`,
		"1":                              `f:1:2: the line ends; expected a number`,
		"1 2 3":                          `f:1:5: read "3"; expected the end of the line`,
		"1 2 " + strings.Repeat("y", 50): `f:1:5: read "` + strings.Repeat("y", 40) + `"...; expected the end of the line`,
		strings.Repeat("1", longest+1):   fmt.Sprintf("f:1:1: a line of more than %d bytes; expected shorter ones", longest),
	} {
		got := ""
		if err := Read(strings.NewReader(text), "f", numbers); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%.40q: %q, want %q", text, got, want)
		}
	}
}

func TestWriteIsWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	must.Do(t, Write(name, func(w *bufio.Writer) error { _, err := w.WriteString("one"); return err }))
	broken := errors.New("broken")
	if err := Write(name, func(w *bufio.Writer) error { w.WriteString("two"); return broken }); err != broken {
		t.Errorf("%v", err)
	}
	text, err := os.ReadFile(name)
	if err != nil || string(text) != "one" {
		t.Errorf("%q, %v", text, err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%v", files)
	}
	if err := Write(filepath.Join(dir, "none", "out"), nil); err == nil {
		t.Error("no error where there is no directory")
	}
}

func TestEnough(t *testing.T) {
	read := 0
	err := Read(strings.NewReader("a\nb\nc\n"), "x", func(l *Line) error {
		if read++; read == 2 {
			return Enough
		}
		return nil
	})
	if err != nil || read != 2 {
		t.Errorf("%d lines, %v", read, err)
	}
}

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

// Special files are written to and not replaced. The test uses a pipe, because an error would cost
// root a device.
func TestWriteToPipes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	must.Do(t, syscall.Mkfifo(name, 0o600))
	reader := must.Get(os.OpenFile(name, os.O_RDWR, 0))(t)
	defer reader.Close()
	must.Do(t, Write(name, one))
	text := make([]byte, 3)
	if _, err := io.ReadFull(reader, text); err != nil || string(text) != "one" {
		t.Errorf("%q, %v", text, err)
	}
	if err := WriteAccepted(name, one, func(string) error { return nil }); err == nil {
		t.Error("a pipe was taken for a file that can be looked at")
	}
	if is, err := os.Stat(name); err != nil || is.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("%v, %v", is, err)
	}
}

// A rejected file leaves all files unchanged.
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

// FuzzRead reads words and numbers from files of any content.
func FuzzRead(f *testing.F) {
	f.Add("1 2\n% x\n\n3 -2.5e3 \r\n")
	f.Add("1\t\v\f\x00 nan 1e999 99999999999999999999")
	f.Fuzz(func(t *testing.T, text string) {
		words, number := 0, 0
		err := Read(strings.NewReader(text), "f", func(l *Line) error {
			if number++; l.Number != number {
				t.Errorf("line %d is the %d-th", l.Number, number)
			}
			for !l.Done() {
				if n, err := l.Int(1, 9, "a digit"); err == nil && (n < 1 || n > 9) {
					t.Errorf("%d", n)
				} else if err != nil && !strings.HasPrefix(err.Error(), fmt.Sprintf("f:%d:", number)) {
					t.Errorf("an error without its place: %v", err)
				}
				words++
			}
			return l.End()
		})
		if err != nil {
			t.Errorf("%v", err)
		}
		if want := len(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r < 0x80 && space(byte(r)) })); words != want {
			t.Errorf("%d words, want %d", words, want)
		}
	})
}
