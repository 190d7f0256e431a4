package bsplib

import (
	"io"
	"slices"

	"github.com/migbsp/migbsp/bsplib/internal/account"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/calls"
)

// Result is what a program says of its outcome; Detail and ResultCheck are parts
// of it.
type (
	Result      = ledger.Result
	Detail      = ledger.Detail
	ResultCheck = ledger.Check
)

// Report hands a program's result to the account, which prints it on rank 0 when
// the program has ended and writes it into the run's record. The last report of
// process 0 counts; other processes' reports are ignored, so that all may make
// one.
func (p *Proc) Report(result Result) {
	if p.pid != 0 {
		return
	}
	result.Checks, result.Details = slices.Clone(result.Checks), slices.Clone(result.Details)
	result.Finite()
	p.rank.outcome.reported = &reported{p.rank.now.step, result}
}

// outcome is what the reader of a run gets on rank 0, unless it is nil.
type outcome struct {
	why      io.Writer      // the reasons of moves
	callLog  *calls.Writer  // what they were decided from
	relinked bool           // links were measured since the last call that was kept
	log      io.Writer      // messages
	screen   account.Screen // log, where it shows progress in place
	result   *Result        // what process 0 has reported
	reported *reported      // by process 0 while it was on this rank
}

// reported is a result and the superstep in which it was handed over.
type reported struct {
	Step   int
	Result Result
}

// ship brings process 0's last report to rank 0.
//
// BSP cost: a superstep's.
func (o *outcome) ship(c *control.Channel) error {
	all, err := control.Gather(c, 0, &o.reported, nil)
	if err != nil || o.result == nil {
		return err
	}
	last := -1
	for _, its := range all {
		if its != nil && its.Step > last {
			last = its.Step
			*o.result = its.Result
		}
	}
	return nil
}
