package bsplib

import (
	"slices"

	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/ledger"
)

// Result is the outcome that a program reports; Detail and ResultCheck are parts of it.
type (
	Result      = ledger.Result
	Detail      = ledger.Detail
	ResultCheck = ledger.Check
)

// Report passes a program's result to the account, which prints it on rank 0 when
// the program has ended and writes it into the run's record. The last report of
// process 0 counts; reports of other processes are ignored, so that all may make
// one.
func (p *Proc) Report(result Result) {
	if p.process.Data.Pid != 0 {
		return
	}
	result.Checks, result.Details = slices.Clone(result.Checks), slices.Clone(result.Details)
	result.Finite()
	p.process.Rank.Outcome.Reported = &checkpoint.Report{Step: p.process.Rank.Now.Step, Result: result}
}
