package rebalancer

import (
	"bytes"
	"flag"
	"fmt"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
)

var update = flag.Bool("update", false, "write what transcripts answer now to testdata")

// Each file of testdata contains a run, its observations and, in
// lines that begin with >, the decisions. Words that a line may begin with:
//
//	set NAME                            a Set; its manager is its first rank
//	rank SET [speed=X] [memory=BYTES] [really=X]   speed as declared, and as it is
//	link SET SET latency=SECONDS perbyte=SECONDS
//	barrier SECONDS
//	process RANK [state=BYTES]          pids count from 0
//	run STRATEGY                        begins with the settings above
//	pin PID | ask PID RANK | hear PID FROM BYTES
//	drain RANK | available RANK X | free RANK BYTES
//	remaining N | called SECONDS
//	observe N WORK...                   supersteps with this work of each process
//	decide | why                        a call; why prints its reasons
func TestTranscripts(t *testing.T) {
	testrun.Transcripts(t, *update, func() func(string, []string) (string, error) { return newStage().do })
}

// tell describes a decision in full.
func tell(d *Decision, p *Platform) string {
	var b bytes.Buffer
	balanced := "balanced"
	if !d.Balanced {
		balanced = "not balanced"
	}
	fmt.Fprintf(&b, "call %d after superstep %d, %s: alpha %d to %d, D %g to %g, next %d\n",
		d.Call, d.Step, balanced, d.Before.Alpha, d.After.Alpha, d.Before.D, d.After.D, d.Next)
	if o := d.Outcome; o != nil {
		fmt.Fprintf(&b, "call %d was to save %.3g s in %d supersteps and saved %.3g s\n", o.Call, o.Predicted, o.Steps, o.Realised)
	}
	for _, v := range d.Verdicts {
		q := v.Potential
		fmt.Fprintf(&b, "process %d", v.Pid)
		if q.Set >= 0 {
			fmt.Fprintf(&b, ", to Set %s PM %.3g = %.3g + %.3g - %.3g", p.Sets[q.Set].Name, q.PM(), q.Comp, q.Comm, q.Mem)
		}
		fmt.Fprintf(&b, ": %s\n", v.Rule)
	}
	for _, m := range d.Moves {
		fmt.Fprintf(&b, "move %d from %d to %d, %d bytes: %s\n", m.Pid, m.From, m.To, m.Bytes, m.Reason)
	}
	if d.WhyNone != "" {
		fmt.Fprintf(&b, "nothing moves: %s\n", d.WhyNone)
	}
	if d.UnexplainedTime > 0 {
		fmt.Fprintf(&b, "supersteps take %.3g s longer than is known why\n", d.Learned.Unexplained)
	}
	f := d.Forecast
	fmt.Fprintf(&b, "in %d supersteps %.3g s instead of %.3g s, moving %.3g s; at least %.3g s per superstep\n",
		f.Horizon, f.After, f.Before, f.Cost, d.Bound.Least)
	return b.String()
}
