package ledger

import (
	"math"

	"github.com/migbsp/migbsp/ledger/fit"
)

// Unknown lists the parameters of a Machine that the supersteps of a run do not determine.
type Unknown struct {
	Barrier bool       // L and Latency
	Ways    [Ways]bool // classes used by the run, whose g is a parameter
}

// Unknown returns the parameters that have to be measured for a Machine of the run so far.
func (a *Account) Unknown() (u Unknown) {
	f := a.course.Fit(fit.Values{}, fit.Set{})
	for way, h := range a.whole().Step.Ways {
		u.Ways[way] = h > 0 && way != int(WithinRank) && (f == nil || !f.Known[fit.G+way])
	}
	u.Barrier = f == nil || !f.Known[fit.L] || f.Used[fit.Latency] && !f.Known[fit.Latency]
	return u
}

// Fit sets the Machine by the run's supersteps, and parameters that these do not determine
// by measured, which may be nil. A parameter that neither shows to be more than 0 is left
// out: its time is part of another parameter or unexplained.
func (a *Account) Fit(measured *Machine) {
	if measured == nil {
		measured = &Machine{}
	}
	before := fit.Values{fit.L: measured.L, fit.Latency: measured.Latency}
	for _, c := range measured.Classes {
		before[fit.G+int(c.Way)] = c.PerByte
	}
	alone := a.course.Fit(fit.Values{}, fit.Set{})
	var without fit.Set
	nothing := true
	for j := range without {
		without[j] = before[j] <= 0 && (alone == nil || !alone.Evident(j))
		nothing = nothing && without[j]
	}
	if alone == nil || nothing {
		a.Machine = nil
		if measured.From != "" {
			a.Machine = measured
		}
		return
	}
	f := a.course.Fit(before, without)
	from := func(j int) string {
		if alone.Known[j] || before[j] == 0 {
			return FromRun
		}
		return FromMeasuring
	}
	m := &Machine{L: f.Value[fit.L], Latency: f.Value[fit.Latency], From: from(fit.L), R2: f.R2, Supersteps: f.Supersteps}
	m.LError = orNone(alone.Alone[fit.L])
	bytes, seconds := 0.0, 0.0
	for way, h := range a.whole().Step.Ways {
		if h == 0 || without[fit.G+way] {
			continue
		}
		c := LinkClass{Way: Way(way), PerByte: f.Value[fit.G+way], Error: orNone(alone.Alone[fit.G+way]), From: from(fit.G + way)}
		m.Classes = append(m.Classes, c)
		if c.From != m.From {
			m.From = FromRun + " and " + FromMeasuring
		}
		if c.Way != WithinRank {
			bytes += float64(h)
			seconds += float64(h) * c.PerByte
		}
	}
	if bytes > 0 {
		m.PerByte = seconds / bytes
	}
	a.Machine = m
}

// orNone returns a standard error, or 0 if it is not finite.
func orNone(x float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	return x
}
