package ledger

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/migbsp/migbsp/internal/untrusted"
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

	// Cut describes a record that ends within an entry, because the run ended early or goes
	// on; "" if it does not.
	Cut      string
	Problems []string // of the record: lines that could not be read, figures that do not fit
}

// Read reads the record in a run's directory, or in the given file, which may be compressed with
// gzip.
//
// Errors: the record does not exist, or its head cannot be read. Later mistakes are in Problems; the
// rest is read.
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
	r, err := Unpack(name, f)
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
			continue
		case errors.Is(err, io.EOF):
			return h, h.finish(d)
		case d.Run() == nil:
			return nil, err
		}
		if len(h.Problems) < mostProblems {
			h.Problems = append(h.Problems, err.Error())
		}
		if d.Err() != nil {
			return h, h.finish(d)
		}
	}
}

// mostProblems bounds the lines that could not be read in Problems.
const mostProblems = 20

// finish reports the parts of a record that are missing.
func (h *History) finish(d *Decoder) error {
	if d.Run() == nil {
		if d.Partial() > 0 {
			return d.foreign(d.partial)
		}
		return fmt.Errorf("%s: the file is empty; expected the record of a run", h.Name)
	}
	h.Cut = d.Cut()
	if err := d.Damage(); err != nil {
		h.Problems = append(h.Problems, err.Error())
	}
	h.Problems = append(h.Problems, d.Skipped().Messages()...)
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

// Open opens a record, which may be packed with gzip. It has to be a regular file.
func Open(name string) (io.ReadCloser, error) {
	f, err := untrusted.Open(name)
	if err != nil {
		return nil, err
	}
	r, err := Unpack(name, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{r, f}, nil
}

// Unpack returns the content of r, which may be packed with gzip. name is its name in errors.
func Unpack(name string, r io.Reader) (io.Reader, error) {
	content, err := untrusted.Unpack(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return content, nil
}
