package ledger

import "fmt"

// Capacity is the CPU time that the hosts granted to each rank, from the start of the run to At. It
// replaces earlier ones.
type Capacity struct {
	At    float64        `json:"at"`
	Ranks []RankCapacity `json:"ranks"` // by rank
}

// RankCapacity is the CPU that a host gave to a rank's work, in seconds.
type RankCapacity struct {
	Elapsed float64 `json:"elapsed"` // of its work, as the barrier sees it
	CPU     float64 `json:"cpu"`     // time in which its processes ran
	// The difference, by cause: see Denied.
	Throttled float64 `json:"throttled"`
	Stolen    float64 `json:"stolen"`
	Shared    float64 `json:"shared"`
	Foreign   float64 `json:"foreign"`
	Other     float64 `json:"other"`
	Share     float64 `json:"share"` // part of a core that it gets while it computes without a pause, as measured last
	// Cores is the number of cores that all ranks of the host may use together, 0 if unknown.
	Cores float64 `json:"cores,omitempty"`
	Quota float64 `json:"limit"` // part of a core that its control group grants at most; 1 without a limit
}

// Part is one part of a budget with its name.
type Part struct {
	Name      string
	Seconds   float64
	Predicted bool // from g and l
}

// Denied divides the time without a granted processor, during work, by cause, in seconds.
type Denied struct {
	Throttled float64 `json:"throttled"` // the quota of its control group was used up
	Stolen    float64 `json:"stolen"`    // the host of a virtual machine used the core
	Shared    float64 `json:"shared"`    // other ranks of this run had the core
	Foreign   float64 `json:"foreign"`   // other programs had the core
	Other     float64 `json:"other"`     // it waited or slept, or the cause is not known
}

// Sum returns the sum of all causes.
func (d Denied) Sum() float64 {
	return d.Throttled + d.Stolen + d.Shared + d.Foreign + d.Other
}

// Causes returns the parts with their names, in the order of tables.
func (d *Denied) Causes() []Part {
	return []Part{
		{"quota", d.Throttled, false}, {"steal", d.Stolen, false}, {"ranks sharing cores", d.Shared, false},
		{"other programs", d.Foreign, false}, {"waiting in work", d.Other, false},
	}
}

// scaled divides a time in proportion to the causes; without causes the result is zero.
func (d Denied) scaled(time float64) Denied {
	sum := d.Sum()
	if sum <= 0 {
		return Denied{}
	}
	f := time / sum
	return Denied{d.Throttled * f, d.Stolen * f, d.Shared * f, d.Foreign * f, d.Other * f}
}

// Denied returns the time during which the rank had work and did not run.
func (c *RankCapacity) Denied() Denied {
	return Denied{c.Throttled, c.Stolen, c.Shared, c.Foreign, c.Other}
}

// Deny sets that time.
func (c *RankCapacity) Deny(d Denied) {
	c.Throttled, c.Stolen, c.Shared, c.Foreign, c.Other = d.Throttled, d.Stolen, d.Shared, d.Foreign, d.Other
}

// Causes adds up the time denied to all ranks.
func (c *Capacity) Causes() (sum Denied) {
	for i := range c.Ranks {
		d := &c.Ranks[i]
		sum = Denied{sum.Throttled + d.Throttled, sum.Stolen + d.Stolen, sum.Shared + d.Shared, sum.Foreign + d.Foreign, sum.Other + d.Other}
	}
	return sum
}

// Factor returns the share of its work time in which the rank ran, or 1 without work.
func (c *RankCapacity) Factor() float64 { return Ratio(c.CPU, c.Elapsed) }

// check refuses figures that no rank can have.
func (c *Capacity) check(run *Run) error {
	if len(c.Ranks) != len(run.Ranks) {
		return fmt.Errorf("capacity: of %d ranks, the run has %d", len(c.Ranks), len(run.Ranks))
	}
	for rank := range c.Ranks {
		r := &c.Ranks[rank]
		for _, x := range []float64{r.Elapsed, r.CPU, r.Throttled, r.Stolen, r.Shared, r.Foreign, r.Other, r.Share, r.Quota, r.Cores} {
			if !(x >= 0) {
				return fmt.Errorf("capacity: rank %d has a figure of %g; expected a number from 0 on", rank, x)
			}
		}
	}
	return nil
}
