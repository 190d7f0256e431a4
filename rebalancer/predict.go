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
// the next forecast is where as many of the last errors lie (quantile).

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
	if off := quantile(d.Learned.Errors, intervalCases); !math.IsInf(off, 1) {
		step := d.Forecast.After / float64(d.Forecast.Horizon)
		d.Prediction.Low, d.Prediction.High = step*math.Exp(-off), step*math.Exp(off)
	}
}

// quantile is what errors of forecasts do not exceed in a part of the cases: of n errors that
// were seen, the one of rank ceil((n+1) part) by size. If the next one is exchangeable with
// them, it is no larger with at least that probability, whatever their distribution is: split
// conformal prediction (Vovk, Gammerman and Shafer 2005). It is infinite while too few were
// seen to say that of any.
func quantile(errors []float32, part float64) float64 {
	rank := int(math.Ceil(float64(len(errors)+1) * part))
	if rank > len(errors) {
		return math.Inf(1)
	}
	sizes := make([]float64, len(errors))
	for i, e := range errors {
		sizes[i] = math.Abs(float64(e))
	}
	slices.Sort(sizes)
	return sizes[max(0, rank-1)]
}

// foretell finds out what a program has told, and whether that is better than the past; nil
// if it has told nothing, or nothing can be said yet.
func foretell(v View) *forecast.Foretold {
	if !slices.ContainsFunc(v.Snapshot.Processes, func(p Process) bool { return p.Told != nil }) {
		return nil
	}
	m := newCostModel(v)
	return forecast.Foretell(m.Series, func(pid int) (coming float64, recent []float32) {
		if p := m.process(pid); p.Told != nil && len(p.RecentWork) >= m.Columns {
			return p.Told.Coming, p.Told.Recent
		}
		return 0, nil
	})
}
