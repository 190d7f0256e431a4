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

// where is the name of a run's record.
func where(balance string, ranks int) string {
	if ranks == allSlots {
		return balance
	}
	return fmt.Sprintf("%s on %d ranks", balance, ranks)
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
// there is an event, launch triggers it after the given superstep.
//
// Errors: the run fails, or its record does not grow for as long as patience is; then it is
// ended.
func launch(ctx context.Context, session *frame.Session, bed *testbed, e *experiment, balance string, ranks, at int, patience time.Duration) (*outcome, error) {
	record, done, err := session.RunDir(e.name, where(balance, ranks))
	if err != nil {
		return nil, err
	}
	defer done()
	launcher, hosts := []string{"mpirun"}, []string{"-hosts", bed.state.HostFile}
	if ranks != allSlots {
		launcher, hosts = append(launcher, "-n", fmt.Sprint(ranks)), nil // with all hosts one rank would emulate them
	}
	args := slices.Concat(launcher, []string{session.Built(e.program, "mpi")}, e.args, hosts)
	args = append(args, "-procs", fmt.Sprint(e.procs), "-balance", balance, "-run-dir", record, "-quiet")
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
