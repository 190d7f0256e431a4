package rebalancer

import (
	"fmt"

	"github.com/migbsp/migbsp/internal/wire"
)

// Decision is the outcome of a call.
type Decision struct {
	Step   int // superstep after which the call was
	Call   int // number of the call, from 1
	Moves  []Move
	Next   int // superstep after which the next call is due
	Before Pace
	After  Pace
	// Balanced reports whether the D test held in the last superstep observed.
	Balanced bool

	Verdicts []Verdict // of the processes that were considered, by pid
	Bound    Bound
	Forecast Forecast
	Outcome  *Outcome // of the last call that moved something, once it is known
	WhyNone  string   // why nothing moves, "" if something does
	// UnexplainedTime is what the supersteps to come are believed to lose, in seconds, for a
	// reason that is new and was not measured; 0 if there is none.
	UnexplainedTime float64
	// Foretelling is how what the program has told compares with the past, nil if it tells
	// nothing.
	Foretelling *Foretelling
	Prediction  Prediction
	Searched    int     // changes of the mapping that the strategy looked at
	Forced      []int32 // pids of moves that no strategy has a say in
	Learned     Learned `wire:"-"` // travels as decisionForm has it
}

// Pace is what decides when the next call is.
type Pace struct {
	Alpha int     // supersteps between calls
	D     float64 // how far from the mean counts as balanced
	Still int     // calls in a row that moved nothing
}

// Bound is what no mapping can beat, in seconds per superstep.
type Bound struct {
	Step    float64 // as it is predicted for the mapping before the call
	Least   float64 // the larger of the next two
	Longest float64 // the longest process of each superstep on the fastest rank
	Share   float64 // all work over all speed
	Split   int     // process to split if Longest is the limit and reached, else -1
}

// Forecast is what the moves are expected to bring.
type Forecast struct {
	Horizon int     // supersteps still to come
	Before  float64 // predicted seconds of these with the mapping as it was
	After   float64 // and with the new one
	Cost    float64 // seconds of the moves and of the call
}

// Prediction is how sure a forecast is.
type Prediction struct {
	By string // told, wave, drift, window or mean: what it goes by
	// Low and High are what a superstep to come takes, in seconds, in four of five cases, by
	// how far the last forecasts of this run were off; 0 while there are too few of these.
	Low, High float64
}

// Outcome is what a call's moves brought, seen at the next call.
type Outcome struct {
	Call      int
	Steps     int     // supersteps since
	Predicted float64 // seconds saved in them, as forecast
	Realised  float64 // seconds saved, from what was measured since
	Cost      float64 // seconds that the moves really took
	Sure      bool    // enough has been seen to judge the moves
}

// Learned is what decisions leave for later ones. Ranks that do not decide keep what a Notice
// tells them of it.
type Learned struct {
	Speeds       wire.Runs   // by rank, as learned
	Told         *ToldSpeeds // nil until something was told
	Available    wire.Runs   // by rank, at the last call
	Usual        wire.Runs   // by rank, Available in the run so far, on average; nil without a bank, and where nothing is decided
	Trust        float64     // factor on predicted savings, lowered when they did not come true
	Unexplained  float64     // seconds per superstep that nothing known explains; negative before it was first seen
	Exchange     float64     // seconds of exchanging for each predicted, as measured; 0 before it was seen
	Loads        [][]float32 // by call and rank, seconds of a superstep at the last calls, if the strategy keeps them
	Errors       []float32   // of the last calls: logarithm of what supersteps took after each over what it had foretold
	LearnsNoMore bool        // speeds are not learned from moves any more, for these tell what cannot come from speeds
	LastMoves    *LastMoves  // from which speeds are learned; nil if there were none
	Pending      *Pending
	Bank         *Bank // nil for strategies that have none
}

// Pending is a call whose moves have still to prove that they paid.
type Pending struct {
	Call     int
	Step     int
	Moves    []Move
	Forecast Forecast
}

// Foretelling compares what a program has told with what the past says, on this run.
type Foretelling struct {
	Told, Past float64 // errors, as parts of the work
	Used       bool    // what was told is used
}

// String says which is used, and why.
func (t *Foretelling) String() string {
	which := "the past"
	if t.Used {
		which = "the loads that the program tells"
	}
	return fmt.Sprintf("predicted by %s: loads were %.3g%% off the work so far, the past %.3g%%", which, 100*t.Told, 100*t.Past)
}

// foretold is the seconds of an observation after the call, as it predicts; 0 if it does not.
func (d *Decision) foretold() float64 {
	if d.Forecast.Horizon == 0 {
		return 0
	}
	return d.Forecast.After / float64(d.Forecast.Horizon)
}

// moveCount is so many moves, in words.
func moveCount(n int) string {
	if n == 1 {
		return "1 move"
	}
	return fmt.Sprintf("%d moves", n)
}
