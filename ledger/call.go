package ledger

import "fmt"

// Call is the account of one rescheduling call. Times are in seconds.
type Call struct {
	Number      int     `json:"call"`
	Step        int     `json:"step"` // superstep after which it was
	At          float64 `json:"at"`   // when it began, from the start of the run
	AlphaBefore int     `json:"alpha_before"`
	AlphaAfter  int     `json:"alpha_after"` // supersteps to the next call
	D           float64 `json:"d"`           // how far from the mean counts as balanced
	Balanced    bool    `json:"balanced"`
	Kept        string  `json:"kept,omitempty"` // why no process moved, "" if one did

	Moved int     `json:"moved"` // processes
	Bytes int64   `json:"bytes"` // of state that moved
	Took  float64 `json:"took"`  // to decide
	Move  float64 `json:"move"`  // to move

	Messages int64 `json:"messages"` // that ranks exchanged to decide
	Talk     int64 `json:"talk"`     // bytes of these messages

	Horizon  int     `json:"horizon,omitempty"`  // supersteps that the forecast is for
	Forecast float64 `json:"forecast,omitempty"` // predicted saving in them, costs not deducted
	Cost     float64 `json:"cost,omitempty"`     // predicted cost

	// For a program that predicts its loads: the relative errors of its predictions and of
	// predictions by the past in this run, and whether its predictions were used.
	ToldError float64 `json:"told_error,omitempty"`
	PastError float64 `json:"past_error,omitempty"`
	ByTold    bool    `json:"by_told,omitempty"`

	BoundStep  float64 `json:"bound_step,omitempty"`  // predicted time of a superstep before the call
	BoundLeast float64 `json:"bound_least,omitempty"` // and on the best of all mappings, at least

	Considered int       `json:"considered"`         // processes with a verdict
	Verdicts   []Verdict `json:"verdicts,omitempty"` // of processes that move, and the largest potentials

	Moves   []Move   `json:"-"` // if the reader of the record wants them
	Outcome *Outcome `json:"-"` // as the guard has judged it, once it has
	Brought *Brought `json:"-"` // of a call with moves, where the run is compared with its unmoved shadow
}

// Verdict is the reason why a process moves or stays: its potential of migration PM = Comp + Comm -
// Mem to the best Set, in seconds, and the rule.
type Verdict struct {
	Pid   int     `json:"pid"`
	Set   int     `json:"set"` // -1 without a destination
	Comp  float64 `json:"comp"`
	Comm  float64 `json:"comm"`
	Mem   float64 `json:"mem"`
	To    int     `json:"to"`           // rank proposed, -1 if none was
	T1    float64 `json:"t1,omitempty"` // time where it is
	T2    float64 `json:"t2,omitempty"` // and at the destination, with the move
	Moves bool    `json:"moves,omitempty"`
	Rule  string  `json:"rule"`
}

// PM returns the potential of migration in seconds.
func (v *Verdict) PM() float64 { return v.Comp + v.Comm - v.Mem }

// Move is one process's move.
type Move struct {
	Call   int    `json:"call"`
	Step   int    `json:"step"` // superstep after which it moved
	Pid    int    `json:"pid"`
	From   int    `json:"from"`
	To     int    `json:"to"`
	Bytes  int64  `json:"bytes"`
	Reason string `json:"reason,omitempty"`
}

// Outcome is the saving of a call's moves, in seconds.
type Outcome struct {
	Call      int     `json:"call"`
	Steps     int     `json:"steps"`     // supersteps after which the saving was measured
	Predicted float64 `json:"predicted"` // saving forecast for these
	Realised  float64 `json:"realised"`  // saving measured in them
	Cost      float64 `json:"cost"`      // of the moves, as measured
	Sure      bool    `json:"sure"`      // enough was seen to judge the moves
}

// Brought is the time that the mapping after a call saved until the next call with moves, in elapsed
// seconds, compared with the mapping at the start of the run; costs are not deducted. The sum over
// all calls is Gross of the Saving.
type Brought struct {
	Steps     int     `json:"steps"`     // supersteps until then
	Predicted float64 `json:"predicted"` // by the saving of the mapping before and the call's forecast
	Realised  float64 `json:"realised"`
	Error     float64 `json:"error"` // standard error of Realised
}

// check refuses figures that would mislead a reader of a record.
func (c *Call) check(run *Run) error {
	if c.Number < 1 || c.Step < 0 || c.Took < 0 || c.Move < 0 || c.Bytes < 0 || c.Moved < 0 {
		return fmt.Errorf("balance: call %d after superstep %d took %g s, moved %d processes of %d bytes in %g s", c.Number, c.Step, c.Took, c.Moved, c.Bytes, c.Move)
	}
	for _, v := range c.Verdicts {
		if v.Pid < 0 || v.Pid >= run.Procs || v.To < -1 || v.To >= len(run.Ranks) || v.Set < -1 || v.Set >= len(run.Sets) {
			return fmt.Errorf("balance: call %d: process %d to rank %d in Set %d; the run has %d processes, %d ranks and %d Sets",
				c.Number, v.Pid, v.To, v.Set, run.Procs, len(run.Ranks), len(run.Sets))
		}
	}
	return nil
}

func (m *Move) check(run *Run) error {
	if m.Pid < 0 || m.Pid >= run.Procs || m.From < 0 || m.From >= len(run.Ranks) || m.To < 0 || m.To >= len(run.Ranks) || m.Bytes < 0 {
		return fmt.Errorf("migration: process %d from rank %d to %d, %d bytes; the run has %d processes and %d ranks",
			m.Pid, m.From, m.To, m.Bytes, run.Procs, len(run.Ranks))
	}
	return nil
}

// Drain is the state of a request to leave a host, or to use it again.
type Drain struct {
	Host  string  `json:"host"`
	By    string  `json:"by,omitempty"` // source of the request, "" for the control directory
	Undo  bool    `json:"undo,omitempty"`
	State string  `json:"state"`
	Step  int     `json:"step,omitempty"` // superstep after which it was carried out
	At    float64 `json:"at,omitempty"`   // when that was, in seconds from the start of the run
	Left  int     `json:"left,omitempty"` // processes that have left
	Stay  int     `json:"stay,omitempty"` // processes that could not
	Why   string  `json:"why,omitempty"`  // it was refused, or processes stay
}

// States of a Drain.
const (
	DrainAsked   = "asked"   // the run has read it and carries it out at the end of its stage
	DrainDone    = "done"    // it has been
	DrainRefused = "refused" // it has not, and will not be
)

func (d *Drain) check() error {
	if d.Host == "" || d.Left < 0 || d.Stay < 0 || d.Step < 0 || d.At < 0 {
		return fmt.Errorf("drain: host %q after superstep %d at %g s, %d processes left, %d stay", d.Host, d.Step, d.At, d.Left, d.Stay)
	}
	return nil
}

// String returns the state of the request in a line.
func (d *Drain) String() string {
	after := fmt.Sprintf(" after superstep %d", d.Step)
	switch {
	case d.State == DrainRefused && d.Undo:
		return fmt.Sprintf("%s is not used again: %s", d.Host, d.Why)
	case d.State == DrainRefused:
		return fmt.Sprintf("%s is not drained: %s", d.Host, d.Why)
	case d.State == DrainAsked && d.Undo:
		return d.Host + " is used again when this stage has ended"
	case d.State == DrainAsked:
		return d.Host + " is drained when this stage has ended"
	case d.Undo:
		return d.Host + " may be used again" + after
	}
	text := d.Host + " is drained"
	if d.By != "" {
		text += " by " + d.By
	}
	text += fmt.Sprintf("%s: %s left", after, Count(d.Left, "process"))
	if d.Stay > 0 {
		text += fmt.Sprintf(", %d stay: %s", d.Stay, d.Why)
	}
	return text
}
