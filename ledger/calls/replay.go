package calls

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/migbsp/migbsp/internal/untrusted"
	"github.com/migbsp/migbsp/rebalancer"
)

// Replay decides the calls of a file again.
type Replay struct {
	Start Start

	name       string
	lines      *bufio.Scanner
	line       int
	controller *rebalancer.Controller
	same       bool    // the strategy is the run's own
	foretold   float64 // time of a superstep, by the call before; 0 if it predicted none
}

// Again is a call that was decided again.
type Again struct {
	Number   int                 // of the call, from 1
	Step     int                 // observed supersteps before it
	Measured float64             // seconds of a superstep since the call before; 0 if that is not known
	Foretold float64             // time of a superstep, by the call before; 0 if it predicted none, or decided other moves than the run made
	Was, Is  []rebalancer.Move   // moves of the run; moves decided again
	Decision rebalancer.Decision // the one decided again
}

// Same reports whether the same processes moved to the same ranks.
func (a *Again) Same() bool {
	return slices.EqualFunc(a.Was, a.Is, func(x, y rebalancer.Move) bool {
		return x.Pid == y.Pid && x.From == y.From && x.To == y.To
	})
}

// mostLine is the maximum length of a line in bytes. Lines of MostProcesses have about 4 MB;
// a longer line takes more memory.
const mostLine = 16 << 20

// Read begins to decide the calls of a file again, with the run's strategy or, unless it is
// nil, another one. name stands for the file in errors.
func Read(name string, r io.Reader, strategy *rebalancer.Spec) (*Replay, error) {
	p := &Replay{name: name, lines: bufio.NewScanner(r)}
	p.lines.Buffer(nil, mostLine)
	if err := p.read(&p.Start); err == io.EOF {
		return nil, fmt.Errorf("%s: the file is empty; expected calls of a run", name)
	} else if err != nil {
		return nil, err
	}
	if err := p.Start.check(); err != nil {
		return nil, fmt.Errorf("%s:1: %w", name, err)
	}
	own, err := rebalancer.Parse(p.Start.Strategy)
	if err != nil {
		return nil, fmt.Errorf("%s:1: the run's strategy: %w", name, err)
	}
	if p.same = strategy == nil || strategy.String() == own.String(); p.same {
		strategy = &own
	}
	p.controller = rebalancer.New(p.Start.Platform, p.Start.Where, *strategy)
	if p.Start.Account {
		p.controller.KeepAccount()
	}
	return p, nil
}

// Next decides the next call again. After the last one the error is io.EOF.
//
// Errors: a line that is no call, or not one of this run. A last line that is not
// whole is left out: the run may still be going on, or has ended while it was written.
func (p *Replay) Next() (*Again, error) {
	var c Call
	if err := p.read(&c); err != nil {
		return nil, err
	}
	if err := c.check(&p.Start, p.controller.Where()); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", p.name, p.line, err)
	}
	if c.Links != nil || c.Lines != nil {
		p.controller.Relink(c.Links, c.Lines)
	}
	if c.Forgot {
		p.controller.Forget()
	}
	d := p.controller.Decide(c.Snapshot)
	took, _ := rebalancer.MeasuredStep(c.Snapshot.Ranks)
	again := &Again{
		Number: d.Call, Step: c.Snapshot.Step, Was: c.Moves, Is: d.Moves, Decision: d,
		Measured: took, Foretold: p.foretold,
	}
	p.foretold = 0
	if f := d.Forecast; again.Same() && f.Horizon > 0 {
		p.foretold = f.After / float64(f.Horizon)
	}
	d.Moves = c.Moves
	p.controller.Adopt(d)
	return again, nil
}

// Same reports whether the replay has the run's strategy.
func (p *Replay) Same() bool { return p.same }

// read reads a line of the file.
func (p *Replay) read(into any) error {
	if !p.lines.Scan() {
		if err := p.lines.Err(); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("%s:%d: %w", p.name, p.line+1, err)
		}
		return io.EOF
	}
	p.line++
	text := p.lines.Bytes()
	if err := untrusted.CheckJSON(text); err != nil {
		return fmt.Errorf("%s:%d: %w", p.name, p.line, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if errors.Is(err, io.ErrUnexpectedEOF) && !p.lines.Scan() {
		return io.EOF
	}
	if err != nil {
		column := decoder.InputOffset() + 1
		if at, is := errors.AsType[*json.SyntaxError](err); is {
			column = at.Offset
		} else if at, is := errors.AsType[*json.UnmarshalTypeError](err); is {
			column = at.Offset
		}
		return fmt.Errorf("%s:%d:%d: %w; expected a line of %s as a run writes it", p.name, p.line, column, err, Name)
	}
	return nil
}
