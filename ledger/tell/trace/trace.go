// Package trace turns the record of a run into a trace for the viewers of Chrome's trace format,
// Perfetto among them.
//
// Each rank is a process of the trace with three threads: its work, the rest of each superstep, in
// which it waited or communicated, and rescheduling. One more process, of the run, has the
// supersteps, the imbalance and alpha. A move is an event on the rank that the process leaves and
// one on the rank that it comes to, with an arrow between them.
//
// # Precision
//
// A record has the work of each rank in a superstep, but not its begin: work is drawn first, the
// rest after it. Supersteps that were added up are one event with their number; if lines of the
// record overlap they are drawn one after the other. The record has the time of all moves of a call
// together: moves are drawn as equal parts of it.
package trace

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/migbsp/migbsp/ledger"
)

// Options select a part of a record. The zero value is all of it.
type Options struct {
	From, To int             // supersteps; 0 is the first, and the last
	Machine  *ledger.Machine // for predictions; nil leaves them out
}

// Made counts the contents of a trace.
type Made struct {
	Run      *ledger.Run
	Events   int
	Steps    int      // supersteps
	Moves    int      // of processes
	Cut      string   // the record ends within an entry: where; "" if it does not
	Problems []string // with the record: lines that could not be read
}

// mostProblems bounds the problems with a record that are returned.
const mostProblems = 20

// Write writes the trace of the record in r to w. name is the record's name in errors. Write keeps
// only the ranks and processes of the run in memory.
//
// Errors: the head of the record cannot be read, the record has none of the supersteps asked for, w
// fails. Other problems are in Problems, and the trace has the entries that could be read.
func Write(w io.Writer, name string, r io.Reader, o Options) (Made, error) {
	o.To = cmp.Or(o.To, math.MaxInt)
	d := ledger.NewDecoder(name, r)
	run, err := head(name, d)
	if err != nil {
		return Made{}, err
	}
	t := newTracer(w, run, o)
	t.begin()
	for !t.past && t.out.err == nil {
		e, err := d.Next()
		switch {
		case err == nil:
			t.enter(e)
			continue
		case d.Err() != nil:
			t.problem("%v; the rest of the record is missing", err)
		case !errors.Is(err, io.EOF):
			t.problem("%v", err)
			continue
		case d.Damage() != nil:
			t.problem("%v", d.Damage())
		default:
			t.made.Cut = d.Cut()
		}
		break
	}
	return t.finish(name)
}

// head reads the first entry, a Run.
func head(name string, d *ledger.Decoder) (*ledger.Run, error) {
	e, err := d.Next()
	if run, is := e.(*ledger.Run); is {
		return run, nil
	}
	switch {
	case !errors.Is(err, io.EOF):
		return nil, err
	case d.Foreign() != nil:
		return nil, d.Foreign()
	case d.Partial() > 0:
		return nil, fmt.Errorf("%s:1:%d: the record ends within its head; expected {\"type\":\"run\",\"schema\":%q, ...} and a line end", name, d.Partial()+1, ledger.Schema)
	}
	return nil, fmt.Errorf("%s: the file is empty; expected the record of a run", name)
}

// finish ends the trace.
func (t *tracer) finish(name string) (Made, error) {
	t.settle()
	t.out.end()
	if t.out.err != nil {
		return t.made, t.out.err
	}
	if t.made.Steps == 0 && (t.from > 1 || t.to < math.MaxInt) {
		return t.made, fmt.Errorf("%s: there is no superstep %s; the last one here is %d", name, asked(t.from, t.to), t.last)
	}
	t.made.Events = t.out.events
	return t.made, nil
}

func (t *tracer) problem(format string, args ...any) {
	if len(t.made.Problems) < mostProblems {
		t.made.Problems = append(t.made.Problems, fmt.Sprintf(format, args...))
	}
}

// asked names the supersteps that were asked for.
func asked(from, to int) string {
	if to == math.MaxInt {
		return fmt.Sprintf("from %d on", from)
	}
	return fmt.Sprintf("from %d to %d", from, to)
}

// Machine finds g and l, which stand in the last line of a record; nil if they
// are not known.
func Machine(name string) *ledger.Machine {
	f, err := ledger.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	var last struct {
		Type string
		ledger.End
	}
	if json.Unmarshal(lastLine(f), &last) != nil || last.Type != "end" {
		return nil
	}
	return last.Machine
}

// lastLine returns the last whole line of r; nil if it has none, or if the line is longer than the
// end of a record can be.
func lastLine(r io.Reader) []byte {
	const most = 1 << 20
	var last, line []byte
	b := bufio.NewReaderSize(r, 1<<16)
	for {
		part, err := b.ReadSlice('\n')
		if len(line) < most {
			line = append(line, part...)
		}
		switch {
		case err == nil:
			last, line = line, last[:0]
		case !errors.Is(err, bufio.ErrBufferFull):
			return last
		}
	}
}
