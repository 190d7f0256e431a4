package ledger

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// History is a record in memory: the account of the run, and its entries in their order.
type History struct {
	Name     string // of the file
	Account  Account
	Steps    []Step // or windows of steps, with the work of each rank, as recorded
	Calls    []Call // all
	Moves    []Move
	Progress []Progress
	Warnings []Warning
	Drains   []Drain // states of requests to leave hosts
	End      *End    // nil if the run has not ended, or was ended

	Problems []string // of the record: lines that could not be read, figures that do not fit
}

// Read reads the record in a run's directory, or in the given file, which may be
// packed with gzip.
//
// Errors: there is no record, or its head cannot be read. Later mistakes are in Problems;
// the rest is read.
func Read(path string) (*History, error) {
	name, err := Locate(path)
	if err != nil {
		return nil, err
	}
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(name, f)
}

// ReadFrom is Read of an open file.
func ReadFrom(name string, f io.Reader) (*History, error) {
	r, err := unpack(name, f)
	if err != nil {
		return nil, err
	}
	return read(name, r)
}

func read(name string, r io.Reader) (*History, error) {
	h := &History{Name: name}
	d := NewDecoder(name, r)
	for {
		e, err := d.Next()
		switch {
		case err == nil:
			h.enter(e)
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return h, h.finish(d, err)
		case d.Run() == nil:
			return nil, err
		default:
			if len(h.Problems) < 20 {
				h.Problems = append(h.Problems, err.Error())
			}
		}
	}
}

// finish reports the parts of a record that are missing.
func (h *History) finish(d *Decoder, err error) error {
	if d.Run() == nil {
		if d.Partial() > 0 {
			return d.foreign(d.partial)
		}
		return fmt.Errorf("%s: the file is empty; expected the record of a run", h.Name)
	}
	if n := d.Partial(); n > 0 || !errors.Is(err, io.EOF) {
		h.Problems = append(h.Problems, fmt.Sprintf("%s:%d:%d: the line ends here, within an entry; what follows is missing", h.Name, d.line+1, n+1))
	}
	for kind, n := range d.Skipped() {
		h.Problems = append(h.Problems, fmt.Sprintf("%s of type %q skipped: this version does not know them", Count(n, "line"), kind))
	}
	if h.End == nil {
		h.Account.Fit(nil) // the run was killed before it could, or goes on
	}
	h.Problems = append(h.Problems, h.Account.Check()...)
	return nil
}

func (h *History) enter(e Entry) {
	h.Account.Enter(e)
	switch e := e.(type) {
	case *Step:
		h.Steps = append(h.Steps, *e)
	case *Call:
		h.Calls = append(h.Calls, *e)
	case *Saving:
		for i := len(h.Calls) - 1; i >= 0; i-- {
			if h.Calls[i].Moved > 0 {
				h.Calls[i].Brought = h.Account.Calls().Last[len(h.Account.Calls().Last)-1].Brought
				break
			}
		}
	case *Move:
		h.Moves = append(h.Moves, *e)
		for i := len(h.Calls) - 1; i >= 0 && h.Calls[i].Number >= e.Call; i-- {
			if c := &h.Calls[i]; c.Number == e.Call {
				c.Moves = append(c.Moves, *e)
				break
			}
		}
	case *Outcome:
		for i := range h.Calls {
			if h.Calls[i].Number == e.Call {
				h.Calls[i].Outcome = e
			}
		}
	case *Progress:
		h.Progress = append(h.Progress, *e)
	case *Drain:
		h.Drains = append(h.Drains, *e)
	case *Warning:
		h.Warnings = append(h.Warnings, *e)
	case *End:
		h.End = e
	}
}

// Locate returns the file of the record that a user means by a directory or a file.
func Locate(path string) (string, error) {
	is, err := os.Stat(path)
	if of := (*fs.PathError)(nil); errors.As(err, &of) && errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: %w; expected a run's directory or its record", path, of.Err)
	} else if err != nil {
		return "", err
	}
	if !is.IsDir() {
		return path, nil
	}
	for _, name := range []string{RecordName, RecordName + ".gz"} {
		file := filepath.Join(path, name)
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("%s: there is no %s in this directory; programs write one with -run-dir DIR", path, RecordName)
}

// Open opens a record, which may be packed with gzip.
func Open(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	r, err := unpack(name, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{r, f}, nil
}

// unpack reads the content of r, which may be packed with gzip. name is its name in errors.
func unpack(name string, r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	if magic, _ := b.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return z, nil
}
