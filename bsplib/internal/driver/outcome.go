package driver

import (
	"io"

	"github.com/migbsp/migbsp/bsplib/internal/account/progress"
	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/ledger"
)

// Outcome is what the reader of a run gets on rank 0, unless it is nil.
type Outcome struct {
	Reported *checkpoint.Report // by process 0 while it was on this rank
	log      io.Writer          // messages
	screen   progress.Screen    // log, where it shows progress in place
	result   *ledger.Result     // what process 0 has reported
}

// ship brings process 0's last report to rank 0.
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
