package bsplib

import (
	"slices"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/ledger"
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

// reported is a result and the superstep in which it was handed over.
type reported struct {
	Step   int
	Result Result
}

// shipResult brings process 0's last report to rank 0.
//
// BSP cost: a superstep's.
func (r *rank) shipResult() *Error {
	all, err := control.Gather(r.channels.control, 0, &r.outcome.reported, nil)
	if err != nil {
		return r.engineError(err)
	}
	if r.outcome.result == nil {
		return nil
	}
	last := -1
	for _, its := range all {
		if its != nil && its.Step > last {
			last = its.Step
			*r.outcome.result = its.Result
		}
	}
	return nil
}
