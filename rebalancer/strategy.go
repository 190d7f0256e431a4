package rebalancer

import (
	"github.com/migbsp/migbsp/rebalancer/internal/forecast"
	"github.com/migbsp/migbsp/rebalancer/internal/params"
)

// To add a strategy, write it in a file of its own, as pwor.go does, with a Definition,
// and enter that in Definitions (spec.go); a parameter that counts something, or is on or
// off, is entered in wholes or switches there. Choose works on a trial (viability.go): a
// copy of the mapping with the load of each rank, which knows where a process fits
// (memory, drained ranks), what ranks would take with it, and accepts moves one by one. A
// transcript in testdata shows what it decides and why.

// A Strategy chooses moves. It has no state from call to call: what it sees of earlier
// ones is in the Snapshot and in View.Learned, which the Controller keeps.
type Strategy interface {
	// Choose returns the moves that the strategy wants, and a verdict for each
	// process that it considered, with the potential by which it did. It moves no
	// pinned process and exceeds no rank's memory, and changes nothing that it is
	// given.
	Choose(v View) ([]Move, []Verdict)
}

// View is what a strategy sees at a call.
type View struct {
	Platform *Platform
	Snapshot *Snapshot
	Where    []int32   // rank of each process, after moves that are decided already
	Rates    []float64 // by rank: work per second, from learned speed and availability; 0 if drained
	Learned  *Learned
	Bank     *Bank // nil if the strategy may spend what it likes
	Call     int   // number of the call
	Alpha    int   // supersteps until the next one

	foretold *forecast.Foretold // what the program has told, nil if nothing
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
	Banked     bool // with the guard, what it may lose is limited, see bank.go
}

// Parameter is a number that a strategy can be given.
type Parameter struct {
	Name     string
	Default  float64
	Min, Max float64
	About    string
}
