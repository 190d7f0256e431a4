package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestPartsAreReadAsWritten(t *testing.T) {
	path, m := made(t, t.TempDir(), "run")
	must.Do(t, readBack(&Source{path, m}, all))
	loaded := must.Get(load(path))(t)
	if err := readBack(loaded, all); err != nil {
		t.Error(err)
	}
	want := int64(0)
	for _, part := range m.Parts {
		info := must.Get(os.Stat(filepath.Join(path, part.File)))(t)
		want += info.Size()
	}
	if got := loaded.Manifest.Bytes(); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}

// Every byte counts: changed, missing or added, the file is named.
func TestDamagedParts(t *testing.T) {
	path, m := made(t, t.TempDir(), "run")
	for _, part := range m.Parts {
		name := filepath.Join(path, part.File)
		whole := must.Get(os.ReadFile(name))(t)
		damaged := func(what string, text []byte) {
			t.Helper()
			must.Do(t, os.WriteFile(name, text, 0o666))
			if err := readBack(&Source{path, m}, all); err == nil || !strings.Contains(err.Error(), name+": ") {
				t.Errorf("%s: %s: %v", part.File, what, err)
			}
		}
		for at := 0; at < len(whole); at += 1 + at/20 {
			changed := append([]byte(nil), whole...)
			changed[at] ^= 1 << (at % 8)
			damaged("a bit changed", changed)
		}
		damaged("empty", nil)
		damaged("a byte less", whole[:len(whole)-1])
		damaged("a byte more", append(whole[:len(whole):len(whole)], 0))
		must.Do(t, os.WriteFile(name, whole, 0o666))
	}
	other := *m
	other.ID++
	if err := readBack(&Source{path, &other}, all); err == nil || !strings.Contains(err.Error(), "a part of checkpoint") {
		t.Errorf("another checkpoint's part: %v", err)
	}
	os.Remove(filepath.Join(path, m.Parts[1].File))
	if err := readBack(&Source{path, m}, all); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), m.Parts[1].File) {
		t.Errorf("a part that is not there: %v", err)
	}
}

// A disk that is full at any byte is an error, not half a part.
func TestWriterFailsWhereTheDiskEnds(t *testing.T) {
	whole := &limited{left: 1 << 40}
	must.Do(t, writeAll(whole))
	size := 1<<40 - whole.left
	for _, room := range []int64{0, 1, 15, 16, 100, 5000, bufferBytes - 1, bufferBytes, size / 2, size - 1} {
		if err := writeAll(&limited{left: room}); !errors.Is(err, errFull) {
			t.Errorf("room for %d of %d bytes: %v", room, size, err)
		}
	}
	if err := writeAll(&limited{left: size}); err != nil {
		t.Errorf("room for all: %v", err)
	}
}

func writeAll(to *limited) error {
	w := newWriter(to, 1)
	for _, p := range processes() {
		w.add(p)
	}
	err := w.out.Flush()
	return err
}

// limited is a disk with room for some bytes.
type limited struct{ left int64 }

var errFull = errors.New("no space left")

func (l *limited) Write(b []byte) (int, error) {
	if int64(len(b)) > l.left {
		n := l.left
		l.left = 0
		return int(n), errFull
	}
	l.left -= int64(len(b))
	return len(b), nil
}

// FuzzPart reads parts of any content: what is accepted is what was written.
func FuzzPart(f *testing.F) {
	path, m := made(f, f.TempDir(), "run")
	part := m.Parts[0]
	whole := must.Get(os.ReadFile(filepath.Join(path, part.File)))(f)
	f.Add(whole, int64(partHead), int64(len(whole)-partHead))
	f.Add(whole[:partHead], int64(0), int64(1))
	f.Add([]byte("bspP\x01\x00\x00\x00"), int64(partHead), int64(recordHead))
	f.Fuzz(func(t *testing.T, text []byte, offset, size int64) {
		dir := t.TempDir()
		p := Part{File: "part", Bytes: int64(len(text)), Records: []Record{{Pid: 3, Offset: offset, Bytes: size, Digest: part.Records[0].Digest}}}
		if p.check(5) != nil {
			return
		}
		must.Do(t, os.WriteFile(filepath.Join(dir, p.File), text, 0o666))
		in, err := openPart(dir, m.ID, &p)
		if err != nil {
			return
		}
		defer in.close()
		skeleton, err := in.skeleton(p.Records[0])
		if err != nil {
			return
		}
		if err := in.end(); err == nil && string(skeleton) != "three" {
			t.Errorf("accepted %q", skeleton)
		}
	})
}
