package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/live"
)

// outcome is what one run gave.
type outcome struct {
	history *ledger.History
	event   int // superstep in which the event happened, 0 if none did
}

// seconds is what the run took, with what it measured before its first superstep.
func (o *outcome) seconds() float64 { return o.history.Whole().Elapsed + o.history.Run.Measuring }

// launch runs a program on the testbed and, if there is an event, makes it happen
// when the given superstep is done.
func launch(ctx context.Context, bed *testbed, bin string, e *experiment, balance string, at int) (*outcome, error) {
	record, err := os.MkdirTemp(bin, "run")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(record)
	args := append([]string{"mpirun", filepath.Join(bin, filepath.Base(e.program))}, e.args...)
	args = append(args, "-procs", fmt.Sprint(e.procs), "-hosts", bed.state.HostFile, "-balance", balance, "-run-dir", record, "-quiet")
	command := bed.command(ctx, args...)
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	begun := time.Now()
	if err := command.Start(); err != nil {
		return nil, err
	}
	over := make(chan error, 1)
	go func() { over <- command.Wait() }()
	o, f := new(outcome), follow(record)
	defer f.Close()
	var after time.Duration
	if e.event != nil && at > 0 {
		if after, err = await(ctx, f, at, over); err != nil {
			return nil, fmt.Errorf("%w\n%s", err, said.Bytes())
		}
		if err := bed.run(ctx, e.event.command...); err != nil {
			return nil, err
		}
	}
	if err := finish(ctx, f, command, over); err != nil {
		return nil, fmt.Errorf("%w after %v\n%s", err, time.Since(begun).Round(time.Second), said.Bytes())
	}
	if o.history, err = ledger.Read(record); err != nil {
		return nil, err
	}
	if len(o.history.Problems) > 0 || o.history.End == nil {
		return nil, fmt.Errorf("the record of the run is not whole: %v\n%s", o.history.Problems, said.Bytes())
	}
	if after > 0 {
		o.event = stepAt(o.history, after)
	}
	return o, nil
}

// finish waits for the end of a run. A launcher that goes on for lingerLimit after
// its program has ended is interrupted: Open MPI's was once seen to do so.
func finish(ctx context.Context, f *progress, command *exec.Cmd, over chan error) error {
	var ended time.Time
	for {
		select {
		case err := <-over:
			if !ended.IsZero() && time.Since(ended) > lingerLimit {
				return nil
			}
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
		if f.look(); f.ended && ended.IsZero() {
			ended = time.Now()
		}
		if !ended.IsZero() && time.Since(ended) > lingerLimit {
			command.Process.Signal(os.Interrupt)
		}
	}
}

const lingerLimit = 20 * time.Second

// errOver says that a run ended before something could happen in it.
var errOver = errors.New("the run was over before the event")

// await waits until a superstep is in the record, and returns how long after the
// program's begin that is.
func await(ctx context.Context, f *progress, step int, over chan error) (time.Duration, error) {
	var begun time.Time
	for {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case err := <-over:
			over <- err
			return 0, errors.Join(errOver, err)
		case <-time.After(20 * time.Millisecond):
		}
		f.look()
		if f.begun && begun.IsZero() {
			begun = time.Now()
		}
		if f.begun && f.last >= step {
			return time.Since(begun), nil
		}
	}
}

// progress is how far a run is, by its record. Each line is read once, for what that
// costs is taken from the run that is measured.
type progress struct {
	*live.Follower
	begun bool // the record's head is there
	ended bool // and its end
	last  int  // superstep in it
}

func follow(record string) *progress { return &progress{Follower: live.Follow(record)} }

// look reads what has come. What is wrong with the record shows when the run is over
// and all of it is read.
func (p *progress) look() {
	p.Look(math.MaxInt, func(entry ledger.Entry) {
		switch entry := entry.(type) {
		case *ledger.Run:
			p.begun = true
		case *ledger.Step:
			p.last = entry.Last
		case *ledger.End:
			p.ended = true
		}
	}, func(error) {})
}

// stepAt is the superstep that a run was in some time after its begin.
func stepAt(h *ledger.History, since time.Duration) int {
	i, _ := slices.BinarySearchFunc(h.Steps, since, func(s ledger.Step, t time.Duration) int { return int(s.At + s.Total - t) })
	return h.Steps[min(i, len(h.Steps)-1)].First
}
