package driver

import (
	"io"

	"github.com/migbsp/migbsp/bsplib/internal/account/progress"
	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/profiling"
	"github.com/migbsp/migbsp/ledger"
)

// Outcome holds the program's result and the run's messages. Fields may be nil.
type Outcome struct {
	Reported *checkpoint.Report // process 0's last result while it was on this rank
	log      io.Writer          // for messages, on rank 0
	screen   progress.Screen    // log, if it shows progress in place
	result   *ledger.Result     // destination of process 0's last result on rank 0
	profile  *profiling.Writer
}

// ship sends process 0's last result to rank 0.
//
// BSP cost: a superstep's.
func (o *Outcome) ship(c *control.Channel) error {
	all, err := control.Gather(c, 0, &o.Reported, nil)
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
