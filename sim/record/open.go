package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/sim"
)

// Is reports whether a path is a run's directory or its record.
func Is(path string) bool {
	is, err := os.Stat(path)
	if err != nil || is.IsDir() {
		return err == nil
	}
	f, err := ledger.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	first := make([]byte, 64)
	n, _ := io.ReadFull(f, first)
	return bytes.HasPrefix(bytes.TrimSpace(first[:n]), []byte("{"))
}

// Open makes a workload of the record in a run's directory, or in the given file. A second on a rank
// of speed 1 counts as the given number of operations.
//
// Errors: the record does not exist, a line of it is wrong, or it has no work of processes.
func Open(path string, operations float64) (*Replay, error) {
	name, err := ledger.Locate(path)
	if err != nil {
		return nil, err
	}
	f, err := ledger.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(name, f, operations)
}

func read(name string, from io.Reader, operations float64) (*Replay, error) {
	r := &Replay{name: name}
	d := ledger.NewDecoder(name, from).WithLoads()
	for {
		e, err := d.Next()
		switch {
		case errors.Is(err, io.EOF):
			return r, r.finish(d)
		case err != nil:
			return nil, err
		}
		switch e := e.(type) {
		case *ledger.Load:
			if err := r.add(e, d.Line(), operations); err != nil {
				return nil, err
			}
		case *ledger.End:
			r.said = e.Supersteps
			if e.Result != nil {
				r.size = e.Result.Size
			}
		}
	}
}

// mostSupersteps bounds the supersteps of a replay, regardless of the record.
const mostSupersteps = 10_000_000

// add adds a line.
func (r *Replay) add(l *ledger.Load, line int, operations float64) error {
	if l.Count > mostSupersteps-r.steps {
		return fmt.Errorf("%s:%d:1: %d supersteps after %d others; expected at most %d in all", r.name, line, l.Count, r.steps, mostSupersteps)
	}
	r.steps += l.Count
	each := 1 / float64(l.Count)
	b := block{first: l.First, last: l.Last, count: l.Count, step: sim.Step{Site: l.Site, Work: l.Work, Over: l.Over * each}}
	for pid := range b.step.Work {
		b.step.Work[pid] *= operations * each
	}
	for _, m := range l.Messages {
		b.step.Messages = append(b.step.Messages, sim.Message{From: int32(m.From), To: int32(m.To), Bytes: m.Bytes * each})
	}
	switch {
	case l.State != nil:
		for _, bytes := range l.State {
			b.step.State = append(b.step.State, float64(bytes))
		}
	case len(r.blocks) > 0:
		b.step.State = r.blocks[len(r.blocks)-1].step.State
	}
	r.blocks = append(r.blocks, b)
	return nil
}

// finish checks the whole record.
func (r *Replay) finish(d *ledger.Decoder) error {
	switch {
	case d.Run() == nil:
		return fmt.Errorf("%s:1:1: the file is empty; expected the record of a run", r.name)
	case len(r.blocks) == 0:
		return fmt.Errorf("%s:1:1: the record has no lines of type \"workload\", which say what each process does; "+
			"expected one of a program that this version was built with: run it again with -run-dir DIR", r.name)
	}
	r.Run = *d.Run()
	r.state = make([]float64, r.Run.Procs)
	for _, b := range r.blocks {
		if b.step.State != nil {
			r.state = b.step.State
			break
		}
	}
	r.arrange()
	return nil
}
