package rebalancer

import (
	"github.com/migbsp/migbsp/rebalancer/internal/forecast"
	"github.com/migbsp/migbsp/rebalancer/internal/params"
)

// To add a strategy, write it in its own file with a Definition, as pwor.go does,
// and add that to Definitions (spec.go). Add integer parameters to wholes and on/off
// parameters to switches there. Choose works on a trial (viability.go): a
// copy of the mapping with the load of each rank, which checks the room for a process
// (memory, drained ranks), predicts the ranks' times with it, and accepts moves one by one. A
// transcript in testdata shows its decisions and reasons.

// A Strategy chooses moves. It has no state between calls: the results of earlier
// calls are in the Snapshot and in View.Learned, which the Controller keeps.
type Strategy interface {
	// Choose returns the moves of the strategy, and a verdict for each process considered, with
	// the potential used. It moves no pinned process, exceeds no rank's memory, and does not
	// change its arguments.
	Choose(v View) ([]Move, []Verdict)
}

// View is a strategy's input at a call.
type View struct {
	Platform *Platform
	Snapshot *Snapshot
	Where    []int32   // rank of each process, after moves that are decided already
	Rates    []float64 // by rank: work per second, from learned speed and availability; 0 if drained
	Learned  *Learned
	Bank     *Bank // nil if the strategy has no budget
	Call     int   // number of the call
	Alpha    int   // supersteps until the next one

	foretold *forecast.Foretold // declared loads, nil if none
	coming   *forecast.Series   // the work of the supersteps to come, nil while it may still change
	set      *params.Params     // nil for the default ones
}

// Definition is a strategy that can be chosen by name.
type Definition struct {
	Name       string
	About      string // one line
	Source     string // where it is published
	Parameters []Parameter
	New        func(values map[string]float64) Strategy
	Banked     bool // with the guard, its loss is limited, see bank.go
}

// Parameter is a number that a strategy can be given.
type Parameter struct {
	Name     string
	Default  float64
	Min, Max float64
	About    string
}
