package ledger

import (
	"fmt"
	"time"
)

// End is the last entry of a record: the end of the run.
type End struct {
	Code       int        `json:"code"`             // exit code
	Reason     string     `json:"reason,omitempty"` // cause of its end, "" for a complete run
	At         float64    `json:"at"`               // seconds that it took, by its own clock
	Supersteps int        `json:"supersteps"`
	Machine    *Machine   `json:"machine,omitempty"`
	Emulation  *Emulation `json:"emulation,omitempty"`
	Result     *Result    `json:"result,omitempty"`
}

// Emulation is the account of a run on an emulated platform, whose time is not
// this machine's. Times are in seconds.
type Emulation struct {
	Platform string  `json:"platform"`
	With     float64 `json:"with"`    // the run as it was
	Without  float64 `json:"without"` // the same work and messages without calls and moves
	Least    float64 `json:"least"`   // lower bound: no mapping of the processes is faster
	Calls    float64 `json:"calls"`   // part of With: deciding
	Moves    float64 `json:"moves"`   // part of With: moving
}

// Gain returns the part of the time without moves that calls and moves saved.
func (e *Emulation) Gain() float64 { return Share(e.Without-e.With, e.Without) }

// Saved describes Gain. Without moves, the difference is the cost of calls.
func (e *Emulation) Saved() string {
	switch {
	case e.Gain() < 0 && e.Moves == 0:
		return Percent(-e.Gain()) + " for calls"
	case e.Gain() < 0:
		return Percent(-e.Gain()) + " lost"
	}
	return Percent(e.Gain()) + " saved"
}

// Possible returns an upper bound of Gain, by the lower bound of the time.
func (e *Emulation) Possible() float64 { return Share(e.Without-e.Least, e.Without) }

// Result is a program's report on its own result.
type Result struct {
	Title    string   `json:"title"`              // "LU factorisation"
	Size     string   `json:"size,omitempty"`     // "5000 x 5000"
	Seconds  float64  `json:"seconds,omitempty"`  // of the part that counts
	Work     float64  `json:"work,omitempty"`     // done in them
	Unit     string   `json:"unit,omitempty"`     // of Work: "flop", "cells"
	Details  []Detail `json:"details,omitempty"`  // more facts for the reader
	Checks   []Check  `json:"checks,omitempty"`   // of the result
	Checksum string   `json:"checksum,omitempty"` // of the result in global order
	// Tables are the program's own tables, such as a table with a row for each worker of a bag of
	// tasks.
	Tables []ResultTable `json:"tables,omitempty"`
}

// ResultTable is a table of a program's own. Cells are texts as readers see them.
type ResultTable struct {
	Title  string     `json:"title"`
	Header []string   `json:"header"`
	Text   []int      `json:"text,omitempty"` // columns of words; all others are numbers
	Rows   [][]string `json:"rows"`
}

// Detail is a name and a value for readers.
type Detail struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Check is a test that a result had to pass.
type Check struct {
	Name   string  `json:"name"` // the quantity
	Value  float64 `json:"value"`
	Limit  float64 `json:"limit,omitempty"`
	Passed bool    `json:"passed"`
	// Doubt replaces PASSED if the value passed but proves little, such as a measurement
	// that does not fit the model.
	Doubt string `json:"doubt,omitempty"`
}

// Verdict returns PASSED, FAILED, or the doubt.
func (c *Check) Verdict() string {
	switch {
	case !c.Passed:
		return "FAILED"
	case c.Doubt != "":
		return c.Doubt
	}
	return "PASSED"
}

// Verdict returns the worst verdict of the checks, "" without checks.
func (r *Result) Verdict() string {
	verdict := ""
	for i := range r.Checks {
		c := &r.Checks[i]
		if verdict == "" || !c.Passed || verdict == "PASSED" {
			verdict = c.Verdict()
		}
		if !c.Passed {
			break
		}
	}
	return verdict
}

// Passed reports whether the result has checks and all have passed.
func (r *Result) Passed() bool {
	for _, c := range r.Checks {
		if !c.Passed {
			return false
		}
	}
	return len(r.Checks) > 0
}

// Progress is the position of a program in its loops of stages.
type Progress struct {
	At     float64 `json:"at"`
	Step   int     `json:"step"` // superstep that is next
	Loop   int     `json:"loop"` // loop of stages, from 1; 0 outside of loops
	Stage  int     `json:"stage,omitempty"`
	Stages int     `json:"stages,omitempty"` // in this loop
}

// Warning is something the reader of the figures should know.
type Warning struct {
	At   float64 `json:"at"`
	Step int     `json:"step,omitempty"`
	Text string  `json:"text"`
}

// Part returns the share of the current loop of stages that is done, 0 where that is not
// known.
func (p *Progress) Part() float64 {
	if p.Stages == 0 {
		return 0
	}
	return float64(p.Stage) / float64(p.Stages)
}

// ToGo estimates the remaining time of a loop of stages from the duration of its measured part. It
// returns 0 if that is unknown.
func ToGo(took time.Duration, from, part float64) time.Duration {
	if took <= 0 || from < 0 || part <= from || part > 1 {
		return 0
	}
	return time.Duration(min(float64(longestTime), float64(took)/(part-from)*(1-part)))
}

// String returns one line on the check.
func (c Check) String() string {
	limit := ""
	if c.Limit != 0 {
		limit = fmt.Sprintf(" (limit %.4g)", c.Limit)
	}
	return fmt.Sprintf("check     %s = %.4g%s  %s", c.Name, c.Value, limit, c.Verdict())
}

// Finite makes the result's figures such that they can be recorded: NaN and infinities
// become the largest number.
func (r *Result) Finite() {
	r.Seconds, r.Work = finite(r.Seconds), finite(r.Work)
	for i := range r.Checks {
		r.Checks[i].Value, r.Checks[i].Limit = finite(r.Checks[i].Value), finite(r.Checks[i].Limit)
	}
}
