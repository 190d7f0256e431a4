// Package calls keeps what rescheduling calls of a run were decided from, and decides them
// again: with the same strategy, to see that the same comes out and how far its model of the
// run was off, or with another one, to see what that would have done.
//
// The file is a line of JSON for the start (Start) and one for each call (Call). All that a
// decision depends on is in it: the platform as the run knew it, the mapping, the strategy,
// and at each call the merged reports of all ranks. What a strategy learns follows from the
// calls before, which are therefore decided anew from the first one on, and each time the
// moves that the run made are what goes on.
package calls

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/migbsp/migbsp/rebalancer"
)

// Name is that of the file in a run's directory, beside its record.
const Name = "calls.jsonl"

// format is the version of the file's form.
const format = 1

// MostProcesses bounds the runs whose calls are kept: of larger ones a call takes megabytes.
const MostProcesses = 4096

// Start is what the controllers of a run begin with.
type Start struct {
	Format   int
	Strategy string  // and its parameters, as -balance has them
	Account  bool    // calls say what moves have brought, for whatever strategy
	Where    []int32 // rank of each process
	Platform rebalancer.Platform
}

// Call is what a call was decided from, and what it moved.
type Call struct {
	// Links and Lines are those of the platform from this call on, if they were measured.
	Links [][]rebalancer.Link `json:",omitempty"`
	Lines []float64           `json:",omitempty"`
	// Forgot is true where others manage than before, who know nothing of earlier moves.
	Forgot   bool `json:",omitempty"`
	Snapshot rebalancer.Snapshot
	Moves    []rebalancer.Move
}

// A Writer writes the file of a run. It opens it with the first line, and writes no more
// after an error, of which it tells once.
type Writer struct {
	open func() (io.WriteCloser, error)
	tell func(error)
	file io.WriteCloser
	done bool
}

// NewWriter makes a writer into what open returns. tell is called with what ends it early.
func NewWriter(open func() (io.WriteCloser, error), tell func(error)) *Writer {
	return &Writer{open: open, tell: tell}
}

// Start writes the first line. A nil Writer writes nothing.
func (w *Writer) Start(s Start) {
	if w == nil || w.done {
		return
	}
	if len(s.Where) > MostProcesses {
		w.fail(fmt.Errorf("calls of %d processes are not kept; of %d they are", len(s.Where), MostProcesses))
		return
	}
	if w.file == nil {
		file, err := w.open()
		if err != nil {
			w.fail(err)
			return
		}
		w.file = file
	}
	s.Format = format
	w.line(&s)
}

// Call writes a call.
func (w *Writer) Call(c *Call) {
	if w != nil && w.file != nil && !w.done {
		w.line(c)
	}
}

// Keeps reports whether calls are written.
func (w *Writer) Keeps() bool { return w != nil && !w.done }

// Close ends the file.
func (w *Writer) Close() error {
	if w == nil || w.file == nil {
		return nil
	}
	w.done = true
	return w.file.Close()
}

func (w *Writer) line(value any) {
	text, err := json.Marshal(value)
	if err == nil {
		_, err = w.file.Write(append(text, '\n'))
	}
	if err != nil {
		w.fail(err)
	}
}

func (w *Writer) fail(err error) {
	w.done = true
	w.tell(err)
}
