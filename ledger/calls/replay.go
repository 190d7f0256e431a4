package calls

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

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

// mostLine bounds a line: MostProcesses take about 4 MB.
const mostLine = 64 << 20

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
	if err := p.check(); err != nil {
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

// check refuses a start that no run has written.
func (p *Replay) check() error {
	s := &p.Start
	ranks, sets := len(s.Platform.Ranks), len(s.Platform.Sets)
	switch {
	case s.Format != format:
		return fmt.Errorf("the form of this file is %d; this version reads %d", s.Format, format)
	case ranks == 0 || sets == 0 || len(s.Where) == 0:
		return fmt.Errorf("a run of %d processes on %d ranks in %d Sets", len(s.Where), ranks, sets)
	case len(s.Platform.Links) != sets:
		return fmt.Errorf("links of %d Sets, of %d", len(s.Platform.Links), sets)
	}
	for _, row := range s.Platform.Links {
		if len(row) != sets {
			return fmt.Errorf("links to %d Sets, of %d", len(row), sets)
		}
	}
	for rank, is := range s.Platform.Ranks {
		if is.Set < 0 || is.Set >= sets {
			return fmt.Errorf("rank %d is in Set %d, of %d", rank, is.Set, sets)
		}
	}
	for pid, rank := range s.Where {
		if rank < 0 || int(rank) >= ranks {
			return fmt.Errorf("process %d is on rank %d, of %d", pid, rank, ranks)
		}
	}
	return nil
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
	if err := p.fits(&c); err != nil {
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

// fits refuses a call that is not of this run.
func (p *Replay) fits(c *Call) error {
	s := &c.Snapshot
	if sets := len(p.Start.Platform.Sets); c.Links != nil && len(c.Links) != sets {
		return fmt.Errorf("links of %d Sets, of %d", len(c.Links), sets)
	}
	if len(s.Ranks) != len(p.Start.Platform.Ranks) || len(s.Processes) != len(p.Start.Where) {
		return fmt.Errorf("reports of %d ranks and %d processes; the run has %d and %d",
			len(s.Ranks), len(s.Processes), len(p.Start.Platform.Ranks), len(p.Start.Where))
	}
	for i := range s.Processes {
		if x := &s.Processes[i]; x.Pid != i || x.Rank != int(p.controller.Where()[i]) {
			return fmt.Errorf("process %d is reported on rank %d as the %d-th; it is on rank %d", x.Pid, x.Rank, i, p.controller.Where()[i])
		}
	}
	for _, m := range c.Moves {
		if m.Pid < 0 || m.Pid >= len(s.Processes) || m.To < 0 || m.To >= len(s.Ranks) {
			return fmt.Errorf("process %d moves to rank %d, of %d and %d", m.Pid, m.To, len(s.Processes), len(s.Ranks))
		}
	}
	return nil
}

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
