package ledger

import (
	"fmt"
	"time"
)

// End is how a run ended.
type End struct {
	Code       int        `json:"code"`             // exit code
	Reason     string     `json:"reason,omitempty"` // what ended it, "" if it came to its end
	At         float64    `json:"at"`               // seconds that it took, by its own clock
	Supersteps int        `json:"supersteps"`
	Machine    *Machine   `json:"machine,omitempty"`
	Emulation  *Emulation `json:"emulation,omitempty"`
	Result     *Result    `json:"result,omitempty"`
}

// Machine has the parameters of the BSP cost model.
type Machine struct {
	PerByte float64 `json:"g"` // seconds for a byte sent or received by a process
	L       float64 `json:"l"` // seconds for an empty superstep
	// Latency is what a superstep takes longer in which anything is sent, where
	// that is known apart from l.
	Latency float64 `json:"latency,omitempty"`
	From    string  `json:"from"` // who says so: "measured after the run", the platform
}

// Predict returns the communication time in seconds that the model gives supersteps.
func (m *Machine) Predict(s *Step) float64 {
	return m.PerByte*float64(s.H) + m.barriers(s)
}

// barriers returns the part of it that does not depend on the bytes.
func (m *Machine) barriers(s *Step) float64 {
	return m.L*float64(s.Count) + m.Latency*float64(s.Talks)
}

// Emulation is the account of a run on an emulated platform, whose time is not
// this machine's. Times are in seconds.
type Emulation struct {
	Platform string  `json:"platform"`
	With     float64 `json:"with"`    // the run as it was
	Without  float64 `json:"without"` // the same work and messages, had no process moved and nobody decided
	Least    float64 `json:"least"`   // lower bound: no mapping of the processes is faster
	Calls    float64 `json:"calls"`   // part of With that deciding took
	Moves    float64 `json:"moves"`   // and moving
}

// Gain returns the part of the time without moves that they saved.
func (e *Emulation) Gain() float64 { return share(e.Without-e.With, e.Without) }

// Possible returns the part that no more than could be saved.
func (e *Emulation) Possible() float64 { return share(e.Without-e.Least, e.Without) }

// share is part over whole, 0 of nothing.
func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

// Result is what a program says of its own outcome.
type Result struct {
	Title    string   `json:"title"`              // "LU factorisation"
	Size     string   `json:"size,omitempty"`     // "5000 x 5000"
	Seconds  float64  `json:"seconds,omitempty"`  // of the part that counts
	Work     float64  `json:"work,omitempty"`     // done in them
	Unit     string   `json:"unit,omitempty"`     // of Work: "flop", "cells"
	Details  []Detail `json:"details,omitempty"`  // more of what the reader should know
	Checks   []Check  `json:"checks,omitempty"`   // of the result
	Checksum string   `json:"checksum,omitempty"` // of the result in global order
}

// Detail is a name and a value for readers.
type Detail struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Check is a test that a result had to pass.
type Check struct {
	Name   string  `json:"name"` // what was computed
	Value  float64 `json:"value"`
	Limit  float64 `json:"limit,omitempty"`
	Passed bool    `json:"passed"`
}

// Passed reports whether there are checks and all have been passed.
func (r *Result) Passed() bool {
	for _, c := range r.Checks {
		if !c.Passed {
			return false
		}
	}
	return len(r.Checks) > 0
}

// Progress is how far a program is.
type Progress struct {
	At     float64 `json:"at"`
	Step   int     `json:"step"` // superstep that is next
	Loop   int     `json:"loop"` // loop of stages, from 1; 0 outside of them
	Stage  int     `json:"stage,omitempty"`
	Stages int     `json:"stages,omitempty"` // in this loop
}

// Warning is something the reader of the figures should know.
type Warning struct {
	At   float64 `json:"at"`
	Step int     `json:"step,omitempty"`
	Text string  `json:"text"`
}

// Part is how much of the current loop of stages is done, 0 where that is not
// known.
func (p *Progress) Part() float64 {
	if p.Stages == 0 {
		return 0
	}
	return float64(p.Stage) / float64(p.Stages)
}

// Headline says in one line how far a run is, after so much time of this
// machine.
func (a *Account) Headline(p *Progress, after time.Duration) string {
	text := fmt.Sprintf("superstep %d, %s", p.Step, after.Round(time.Second))
	if part := p.Part(); part > 0 {
		text = fmt.Sprintf("superstep %d, stage %d of %d (%.0f%%), %s", p.Step, p.Stage, p.Stages, 100*part, after.Round(time.Second))
		if p.Loop == 1 {
			text += fmt.Sprintf(", %s to go", time.Duration(float64(after)*(1-part)/part).Round(time.Second))
		}
	}
	t := a.Whole()
	text += fmt.Sprintf("; w max/avg %.2f", t.Imbalance())
	if a.calls.moves > 0 {
		text += fmt.Sprintf("; %d moves in %s", a.calls.moves, Count(a.calls.count, "call"))
	}
	return text
}
