package ledger

import (
	"cmp"
	"fmt"
	"math"
	"time"
)

// Efficiency is the tree of factors of the POP metrics, exact for BSP: on a
// network that takes no time, a run takes the sum of its supersteps' longest
// work.
//
//	Parallel = LoadBalance * Serialisation * Capacity * Transfer
//	LoadBalance = InSets * BetweenSets
type Efficiency struct {
	Parallel      float64 `json:"parallel"`      // time during which all ranks ran their work over ranks * elapsed time
	LoadBalance   float64 `json:"load_balance"`  // mean over largest work of a rank in the whole time
	InSets        float64 `json:"in_sets"`       // mean work of the Set with most over largest work of a rank
	BetweenSets   float64 `json:"between_sets"`  // mean work of a rank over that mean
	Serialisation float64 `json:"serialisation"` // largest work of a rank over the sum of each superstep's longest
	Capacity      float64 `json:"capacity"`      // share of the ranks' work during which they were granted a processor
	Transfer      float64 `json:"transfer"`      // that sum of the longest over the elapsed time
}

// Acceptable is the parallel efficiency that POP finds good enough.
const Acceptable = 0.80

// Efficiency returns the factors of a part of the run.
func (a *Account) Efficiency(t *Totals) Efficiency {
	largest := time.Duration(0)
	bySet, ranks := make([]float64, max(1, len(a.Run().Sets))), make([]float64, max(1, len(a.Run().Sets)))
	sum := 0.0
	for rank, w := range t.Step.Work {
		largest = max(largest, w)
		set := 0
		if rank < len(a.Run().Ranks) {
			set = a.Run().Ranks[rank].Set
		}
		sum += w.Seconds()
		bySet[set] += w.Seconds()
		ranks[set]++
	}
	setMost := 0.0
	for set := range bySet {
		if ranks[set] > 0 {
			setMost = max(setMost, bySet[set]/ranks[set])
		}
	}
	n := float64(max(1, len(t.Step.Work)))
	return Efficiency{
		Parallel:      Ratio((t.Step.WorkSum - t.Step.DeniedSum).Seconds(), n*t.Elapsed),
		LoadBalance:   Ratio(sum/n, largest.Seconds()),
		InSets:        Ratio(setMost, largest.Seconds()),
		BetweenSets:   Ratio(sum/n, setMost),
		Serialisation: Ratio(largest.Seconds(), t.Step.WorkMax.Seconds()),
		Capacity:      Ratio((t.Step.WorkSum - t.Step.DeniedSum).Seconds(), t.Step.WorkSum.Seconds()),
		Transfer:      Ratio(t.Step.WorkMax.Seconds(), t.Elapsed),
	}
}

// FactorOf is a factor of an efficiency. The factors of depth 1 multiply to the one of
// depth 0, and factors of depth 2 to the factor of depth 1 above them.
type FactorOf struct {
	Name, Short string
	Depth       int
	Value       float64
}

// Factors returns the tree of factors in the order of tables.
func (e *Efficiency) Factors() []FactorOf {
	return []FactorOf{
		{"Parallel", "PE", 0, e.Parallel}, {"Load balance", "LB", 1, e.LoadBalance}, {"in Sets", "in Sets", 2, e.InSets}, {"between Sets", "between", 2, e.BetweenSets},
		{"Serialisation", "Ser", 1, e.Serialisation}, {"Capacity", "Cap", 1, e.Capacity}, {"Transfer", "Tr", 1, e.Transfer},
	}
}

// tolerance is the relative difference of figures that count as equal: they were rounded
// when they were written.
const tolerance = 1e-6

// equal compares two figures that should be equal.
func equal(a, b float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b), 1e-3)
}

// Budget divides the elapsed time into parts, in seconds. The parts add up to
// Elapsed: Unexplained has the rest, and is negative if the others are too large.
type Budget struct {
	Elapsed  float64 `json:"elapsed"`
	Work     float64 `json:"work"`     // time during which each superstep's slowest rank ran
	Lost     float64 `json:"lost"`     // time during which it had work and was not granted a processor
	Denied   Denied  `json:"denied"`   // Lost by its causes, if they are known
	Transfer float64 `json:"transfer"` // h*g, as the model predicts
	Latency  float64 `json:"latency"`  // S*l
	// Excess is the predicted time of Transfer and Latency over the measured time of
	// communication, if it is above 1, else 0: both are then scaled down to the measured
	// time.
	Excess       float64 `json:"excess,omitempty"`
	Rescheduling float64 `json:"rescheduling"` // calls
	Migration    float64 `json:"migration"`
	Unexplained  float64 `json:"unexplained"`
}

// nanoseconds bounds the rounding error of a budget's parts together.
const nanoseconds = 2e-9

// Budget returns the time budget of a part of the run.
func (a *Account) Budget(t *Totals) Budget {
	m := a.machine()
	d := Budget{
		Elapsed: t.Elapsed, Work: (t.Step.WorkMax - t.Step.Denied).Seconds(), Lost: (t.Step.Denied + t.Step.Lost).Seconds(),
		Transfer: m.transfer(&t.Step), Latency: m.barriers(&t.Step),
		Rescheduling: t.DecideTime, Migration: t.MoveTime,
	}
	if predicted, took := d.Transfer+d.Latency, t.Step.Ended().Seconds(); predicted > took*(1+tolerance) && a.Run().Clock() == "" {
		d.Transfer, d.Latency, d.Excess = d.Transfer*took/predicted, d.Latency*took/predicted, finite(predicted/took)
	}
	d.Denied = made(&a.capacity).Causes().scaled(d.Lost)
	d.Unexplained = d.Elapsed - d.Work - d.Lost - d.Transfer - d.Latency - d.Rescheduling - d.Migration
	if math.Abs(d.Unexplained) < max(tolerance*d.Elapsed/1000, nanoseconds) {
		d.Unexplained = 0
	}
	return d
}

// Parts returns the parts in the order of tables and charts.
func (d *Budget) Parts() []Part {
	return []Part{
		{"work (max)", d.Work, false}, {"CPU not granted", d.Lost, false}, {"h g", d.Transfer, true}, {"S l", d.Latency, true},
		{"rescheduling", d.Rescheduling, false}, {"migration", d.Migration, false}, {"unexplained", d.Unexplained, false},
	}
}

// machine returns g and l, zeros if they are not known.
func (a *Account) machine() *Machine { return cmp.Or(a.Machine, &Machine{From: "not known"}) }

// Predict returns the communication time in seconds of supersteps by the run's g and l, 0
// where these are not known.
func (a *Account) Predict(s *Step) float64 { return a.machine().Predict(s) }

// Saving compares the run with its unmoved shadow, in seconds from the start of the run to
// the end of a superstep. The shadow has the same supersteps with every process where it
// began. A later Saving replaces an earlier one.
type Saving struct {
	Step    int     `json:"step"`    // the superstep
	Unmoved float64 `json:"unmoved"` // the shadow's supersteps
	Seen    float64 `json:"seen"`    // the run's supersteps, without calls and moves
	Error   float64 `json:"error"`   // error of Unmoved
}

// Gross returns the saving of the moves, without the costs of calls and moves.
func (s *Saving) Gross() float64 { return s.Unmoved - s.Seen }

func (s *Saving) check() error {
	if s.Step < 0 || !(s.Unmoved >= 0) || !(s.Seen >= 0) || !(s.Error >= 0) {
		return fmt.Errorf("saving: after superstep %d %g s unmoved (error %g s), %g s seen; expected numbers from 0 on", s.Step, s.Unmoved, s.Error, s.Seen)
	}
	return nil
}
