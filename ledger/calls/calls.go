// Package calls records the input of a run's rescheduling calls and decides them again:
// with the same strategy, to check that the decisions are the same and how accurate its
// model of the run was, or with another strategy, to see its decisions.
//
// The file is a line of JSON for the start (Start) and one for each call (Call). They hold
// all input of a decision: the platform as the run knew it, the mapping, the strategy, and
// at each call the merged reports of all ranks. A strategy learns from earlier calls; so a
// replay decides all calls from the first one on, and after each applies the moves that the
// run made.
package calls

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/migbsp/migbsp/rebalancer"
)

// Name is the name of the file in a run's directory, next to the record.
const Name = "calls.jsonl"

// format is the version of the file's form.
const format = 2

// MostProcesses bounds the runs whose calls are kept: a call of a larger run takes megabytes.
const MostProcesses = 4096

// Start is the input of a run's controllers at its start.
type Start struct {
	Format   int
	Strategy string  // and its parameters, as -balance has them
	Account  bool    // calls report the saving of moves, with any strategy
	Where    []int32 // rank of each process
	Platform rebalancer.Platform
}

// Call is the input of a call, and its moves.
type Call struct {
	// Links and Lines are the platform's from this call on, if they were measured.
	Links [][]rebalancer.Link `json:",omitempty"`
	Lines []float64           `json:",omitempty"`
	// Forgot is true if other ranks manage than before, which do not know earlier moves.
	Forgot   bool `json:",omitempty"`
	Snapshot rebalancer.Snapshot
	Moves    []rebalancer.Move
}

// A Writer writes the file of a run. It opens the file with the first line, and writes no
// more after an error, which it reports once.
type Writer struct {
	open func() (io.WriteCloser, error)
	tell func(error)
	file io.WriteCloser
	done bool
}

// NewWriter makes a writer to the file that open opens. tell is called with an error that
// ends writing early.
func NewWriter(open func() (io.WriteCloser, error), tell func(error)) *Writer {
	return &Writer{open: open, tell: tell}
}

// Start writes the first line. A nil Writer is valid and discards all calls.
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
