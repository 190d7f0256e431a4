package ledger

import (
	"fmt"
)

// Drain is the state of a request to leave a host, or to use it again.
type Drain struct {
	Host  string  `json:"host"`
	By    string  `json:"by,omitempty"` // who has asked for it, "" for the control directory
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
