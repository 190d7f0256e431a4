package rebalancer

import (
	"math"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/forecast"
)

// How sure forecasts are.
//
// A call foretells what a superstep takes until the next one. What it took is measured then,
// and the logarithm of the ratio is the error of a forecast of the same kind as the next: of
// this run, for the same number of supersteps, whatever predictor it was by. The interval of
// the next forecast is where as many of the last errors lie (forecast.Quantile).

const (
	errorsMost    = 16  // that are remembered: what was long ago was of another load
	intervalCases = 0.8 // part of the cases that an interval is for
)

// errorsAfter are those of the forecasts so far, with the one of the last call.
func errorsAfter(last *Decision, s *Snapshot) []float32 {
	measured, steps := MeasuredStep(s.Ranks)
	if steps == 0 || !(last.foretold() > 0) || !(measured > 0) {
		return last.Learned.Errors
	}
	all := append(slices.Clone(last.Learned.Errors), float32(math.Log(measured/last.foretold())))
	return all[max(0, len(all)-errorsMost):]
}

// foretell makes the forecast of moves, and says what it goes by.
func (d *Decision) foretell(v View, moves []Move) Forecast {
	m := newForecastModel(v)
	d.Prediction.By = m.by
	return m.forecast(moves)
}

// sure says how sure the forecast is.
func (d *Decision) sure() {
	if d.Forecast.Horizon == 0 {
		return
	}
	if off := forecast.Quantile(d.Learned.Errors, intervalCases); !math.IsInf(off, 1) {
		step := d.Forecast.After / float64(d.Forecast.Horizon)
		d.Prediction.Low, d.Prediction.High = step*math.Exp(-off), step*math.Exp(off)
	}
}
