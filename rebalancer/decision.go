package rebalancer

import (
	"fmt"

	"github.com/migbsp/migbsp/internal/wire"
)

// Decision is the result of a rescheduling call.
type Decision struct {
	Step   int // superstep of the call
	Call   int // number of the call, from 1
	Moves  []Move
	Next   int // superstep after which the next call is due
	Before Pace
	After  Pace
	// Balanced reports whether the D test held in the last superstep observed.
	Balanced bool

	Verdicts []Verdict // of the considered processes, by pid
	Bound    Bound
	Forecast Forecast
	Outcome  *Outcome // outcome of the last call that moved processes, once it is known
	WhyNone  string   // reason why no process moves, "" if some do
	// UnexplainedTime is the expected loss of future supersteps, in seconds, due to a new reason that
	// was not measured; 0 if none.
	UnexplainedTime float64
	// Foretelling compares the program's own load forecasts with forecasts from the past; nil if the
	// program gives none.
	Foretelling *Foretelling
	Prediction  Prediction
	Searched    int     // mappings that the strategy evaluated
	Forced      []int32 // pids of moves that do not depend on the strategy
	Learned     Learned `wire:"-"` // encoded as decisionForm
}

// Pace determines when the next call is due.
type Pace struct {
	Alpha int     // supersteps between calls
	D     float64 // largest deviation from the mean that counts as balanced
	Still int     // consecutive calls without moves
}

// Bound holds lower bounds on the time of any mapping, in seconds per superstep.
type Bound struct {
	Step    float64 // predicted for the mapping before the call
	Least   float64 // the larger of Longest and Share
	Longest float64 // the longest process of each superstep on the fastest rank
	Share   float64 // total work over total speed
	Split   int     // process to split if Longest is the limit and is reached, else -1
}

// Forecast is the expected effect of the moves.
type Forecast struct {
	Horizon int     // remaining supersteps
	Before  float64 // predicted seconds of these under the old mapping
	After   float64 // predicted seconds of these under the new mapping
	Cost    float64 // seconds of the moves and of the call
}

// Prediction describes the method and the confidence of a forecast.
type Prediction struct {
	By string // method: told, wave, drift, window or mean
	// Low and High bound the duration of a future superstep, in seconds, with a probability of 80 %, by
	// the errors of the last forecasts of this run; both are 0 while too few are known.
	Low, High float64
}

// Outcome is the measured effect of a call's moves, as of the next call.
type Outcome struct {
	Call      int
	Steps     int     // supersteps since the call
	Predicted float64 // seconds saved in them, as forecast
	Realised  float64 // seconds saved in them, as measured
	Cost      float64 // measured seconds of the moves
	Sure      bool    // the measurements suffice to judge the moves
}

// Learned is the state that decisions pass on to later ones. Ranks that do not decide keep the part of
// it that a Notice contains.
type Learned struct {
	Speeds       wire.Runs   // by rank, as learned
	Told         *ToldSpeeds // nil until moves have been evaluated
	Available    wire.Runs   // by rank, at the last call
	Usual        wire.Runs   // by rank, mean of Available over the run; nil without a bank, and on ranks that do not decide
	Trust        float64     // factor on predicted savings, lowered if savings were less than predicted
	Unexplained  float64     // unexplained seconds per superstep; negative before the first measurement
	Exchange     float64     // ratio of measured to predicted exchange time; 0 before the first measurement
	Loads        [][]float32 // by call and rank, seconds per superstep at the last calls, if the strategy keeps them
	Errors       []float32   // of the last calls: logarithm of measured over forecast time of the supersteps after each
	LearnsNoMore bool        // no more learning from moves, because speeds cannot explain the measurements
	LastMoves    *LastMoves  // the moves that speeds are learned from; nil if none
	Pending      *Pending
	Bank         *Bank // nil for strategies without a bank
}

// Pending is a call whose moves have not been judged yet.
type Pending struct {
	Call     int
	Step     int
	Moves    []Move
	Forecast Forecast
}

// Foretelling compares the errors of the program's load forecasts and of forecasts from the past.
type Foretelling struct {
	Told, Past float64 // errors, as a share of the work
	Used       bool    // the program's forecasts are used
}

// String names the forecasts in use, and the errors of both.
func (t *Foretelling) String() string {
	which := "the past"
	if t.Used {
		which = "the loads that the program tells"
	}
	return fmt.Sprintf("predicted by %s: loads were %.3g%% off the work so far, the past %.3g%%", which, 100*t.Told, 100*t.Past)
}

// foretold returns the predicted seconds of an observation after the call, or 0 without a forecast.
func (d *Decision) foretold() float64 {
	if d.Forecast.Horizon == 0 {
		return 0
	}
	return d.Forecast.After / float64(d.Forecast.Horizon)
}

// moveCount formats a number of moves.
func moveCount(n int) string {
	if n == 1 {
		return "1 move"
	}
	return fmt.Sprintf("%d moves", n)
}
