package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/ledger"
)

// allSlots stands for a rank on each slot of the testbed.
const allSlots = 0

// setup is the settings of a run: of rescheduling, and of its start.
type setup struct {
	balance  string
	ranks    int    // or allSlots
	start    string // the initial mapping
	profiles string // the directory of profiles of earlier runs, or off
}

// inBlocks returns the settings of a run that starts in equal blocks, on all slots.
func inBlocks(balance string) setup { return setup{balance, allSlots, "blocks", "off"} }

// String returns the name of a run's record.
func (s setup) String() string {
	text := s.balance
	if s.ranks != allSlots {
		text += fmt.Sprintf(" on %d ranks", s.ranks)
	}
	if s.start != "blocks" {
		text += " from " + s.start
	}
	return text
}

// outcome is the result of one run.
type outcome struct {
	history *ledger.History
	event   int // superstep in which the event happened, 0 if none did
}

// seconds returns the time of the run, with its measurements before the first superstep.
func (o *outcome) seconds() float64 {
	return o.history.Account.Whole().Elapsed + o.history.Account.Run().Measuring
}

// launch runs a program on the testbed, on all its slots or on the first ranks of them. If
// at is above 0, launch triggers the experiment's event after that superstep.
//
// Errors: the run fails, or its record does not grow for as long as patience is; then it is
// ended.
func launch(ctx context.Context, session *frame.Session, bed *testbed, e *experiment, how setup, at int, patience time.Duration) (*outcome, error) {
	record, done, err := session.RunDir(e.name, how.String())
	if err != nil {
		return nil, err
	}
	defer done()
	launcher, hosts := []string{"mpirun"}, []string{"-hosts", bed.state.HostFile}
	if how.ranks != allSlots {
		launcher, hosts = append(launcher, "-n", fmt.Sprint(how.ranks)), nil // with all hosts one rank would emulate them
	}
	args := slices.Concat(launcher, []string{session.Built(e.program, "mpi")}, e.args, hosts)
	args = append(args, "-procs", fmt.Sprint(e.procs), "-balance", how.balance, "-start", how.start, "-profiles", how.profiles, "-run-dir", record, "-quiet")
	ctx, stop := context.WithCancel(ctx)
	r, err := start(bed.command(ctx, args...), record, patience, stop)
	if err != nil {
		return nil, err
	}
	defer r.end()
	o := new(outcome)
	var after time.Duration
	if e.event != nil && at > 0 {
		if after, err = r.await(ctx, at); err != nil {
			return nil, r.failed(err)
		}
		if err := bed.run(ctx, e.event.command...); err != nil {
			return nil, err
		}
	}
	if err := r.finish(ctx); err != nil {
		return nil, r.failed(err)
	}
	if o.history, err = ledger.Read(record); err != nil {
		return nil, err
	}
	if len(o.history.Problems) > 0 || o.history.End == nil {
		return nil, r.failed(fmt.Errorf("the record of the run is not whole: %v", o.history.Problems))
	}
	if after > 0 {
		o.event = stepAt(o.history, after)
	}
	return o, nil
}

// stepAt is the superstep that a run was in some time after its begin.
func stepAt(h *ledger.History, since time.Duration) int {
	i, _ := slices.BinarySearchFunc(h.Steps, since, func(s ledger.Step, t time.Duration) int { return int(s.At + s.Total - t) })
	return h.Steps[min(i, len(h.Steps)-1)].First
}
