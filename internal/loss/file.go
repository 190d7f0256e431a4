package loss

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/migbsp/migbsp/internal/untrusted"
)

// Bounds of a file. Read rejects larger files; Add drops the oldest losses.
const (
	maxBytes  = 16 << 20 // a loss of 100,000 ranks has about 700 KB
	maxLosses = 1000
)

// addPatience limits the wait of Add for another writer. Add considers a writer dead after deadWriter.
const (
	addPatience = 3 * time.Second
	addPause    = 5 * time.Millisecond
	deadWriter  = 2 * time.Second
)

// Read returns the losses in a file, the latest last, and none if the file does not exist. Another
// user may have written it: Read refuses files that are not regular or exceed maxBytes.
func Read(path string) ([]Loss, error) {
	f, err := read(path)
	return f.Losses, err
}

// read returns the content of a file, a zero one if the file does not exist.
func read(path string) (file, error) {
	text, err := untrusted.ReadFile(path, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return file{}, nil
	}
	if err != nil {
		return file{}, err
	}
	f, err := decode(text)
	if err != nil {
		return file{}, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// decode reads the content of a file.
func decode(text []byte) (f file, err error) {
	if err := json.Unmarshal(text, &f); err != nil {
		return file{}, err
	}
	if err := f.check(); err != nil {
		return file{}, err
	}
	return f, nil
}

// check reports content that no program of this module writes.
func (f *file) check() error {
	if f.Schema != Schema {
		return fmt.Errorf("schema %.40q, expected %q", f.Schema, Schema)
	}
	if n := max(len(f.Losses), len(f.Starts)); n > maxLosses {
		return fmt.Errorf("%d losses, expected at most %d", n, maxLosses)
	}
	for i, l := range f.Losses {
		if l.Start == "" || len(l.Hosts) == 0 {
			return fmt.Errorf("loss %d has no start or no hosts", i)
		}
		for _, h := range l.Hosts {
			if h.Name == "" || len(h.Ranks) == 0 || h.Ranks[0] < 0 || !slices.IsSorted(h.Ranks) {
				return fmt.Errorf("loss %d has a host without a name, or without ranks in order", i)
			}
		}
	}
	return nil
}

// Add adds a loss to a file, in a directory that exists. Of two losses of the same start the file
// keeps the one of the lower node: a host that is cut off takes the others for lost.
func Add(path string, l Loss) error {
	return change(path, func(f *file) bool {
		if i := slices.IndexFunc(f.Losses, func(o Loss) bool { return o.Start == l.Start }); i < 0 {
			f.Losses = append(f.Losses, l)
		} else if f.Losses[i].Node > l.Node {
			f.Losses[i] = l
		} else {
			return false
		}
		f.Losses = f.Losses[max(0, len(f.Losses)-maxLosses):]
		return true
	})
}

// change changes a file, unless f returns false. Other writers wait.
func change(path string, f func(*file) bool) error {
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	content, err := read(path)
	if err != nil {
		return err
	}
	if !f(&content) {
		return nil
	}
	content.Schema = Schema
	if content.Losses == nil {
		content.Losses = []Loss{}
	}
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	lines.SetEscapeHTML(false)
	lines.SetIndent("", " ")
	if err := lines.Encode(content); err != nil {
		return err
	}
	return replace(path, text.Bytes())
}

// replace replaces a file's content, atomically for readers.
func replace(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// lock keeps other writers out, also those on other hosts that share the file system: flock is local
// on some of these.
func lock(path string) (unlock func(), err error) {
	name := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".adding")
	for end := time.Now().Add(addPatience); ; time.Sleep(addPause) {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			f.Close()
			return func() { os.Remove(name) }, nil
		}
		if !errors.Is(err, fs.ErrExist) || time.Now().After(end) {
			return nil, err
		}
		if info, err := os.Lstat(name); err == nil && time.Since(info.ModTime()) > deadWriter {
			os.Remove(name)
		}
	}
}
