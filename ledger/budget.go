package ledger

import "math"

// Budget is where the elapsed time went, in seconds. The parts add up to
// Elapsed: what they leave, or claim too much, is Unexplained.
type Budget struct {
	Elapsed      float64 `json:"elapsed"`
	Work         float64 `json:"work"`         // each superstep's longest
	Lost         float64 `json:"lost"`         // to others on the same cores, while ranks had work
	Transfer     float64 `json:"transfer"`     // h*g, as the model predicts
	Latency      float64 `json:"latency"`      // S*l
	Rescheduling float64 `json:"rescheduling"` // calls
	Migration    float64 `json:"migration"`
	Unexplained  float64 `json:"unexplained"`
}

// Budget is that of a part of the run.
func (a *Account) Budget(t *Totals) Budget {
	m := a.machine()
	d := Budget{
		Elapsed: t.Elapsed, Work: t.WorkMax.Seconds(), Lost: t.Lost.Seconds(),
		Transfer: m.PerByte * float64(t.H), Latency: m.barriers(&t.Step),
		Rescheduling: t.DecideTime, Migration: t.MoveTime,
	}
	d.Unexplained = d.Elapsed - d.Work - d.Lost - d.Transfer - d.Latency - d.Rescheduling - d.Migration
	if math.Abs(d.Unexplained) < tolerance*d.Elapsed/1000 {
		d.Unexplained = 0
	}
	return d
}

// Part is one part of a budget with its name.
type Part struct {
	Name      string
	Seconds   float64
	Predicted bool // from g and l
}

// Parts are the parts in the order in which they are told.
func (d *Budget) Parts() []Part {
	return []Part{
		{"work (max)", d.Work, false}, {"lost to others", d.Lost, false}, {"h g", d.Transfer, true}, {"S l", d.Latency, true},
		{"rescheduling", d.Rescheduling, false}, {"migration", d.Migration, false}, {"unexplained", d.Unexplained, false},
	}
}

// machine is what is known of g and l, nothing if it is not.
func (a *Account) machine() *Machine {
	if a.Machine == nil {
		return &Machine{From: "not known"}
	}
	return a.Machine
}
