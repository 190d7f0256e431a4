package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/migbsp/migbsp/bsplib"
)

// report fits the lines and hands over the numbers. The slowest process counts.
func (s *state) report(b *bsplib.Proc, all []int) error {
	bsplib.MaxSlice(b, s.Seconds)
	r := bsplib.Min(b, s.Rate)
	arrived := bsplib.Allreduce(b, s.Arrived, arrival.plus)
	m := measure(all, s.Seconds, b.NProcs())
	result := bsplib.Result{
		Title: "BSP machine", Size: fmt.Sprintf("%d processes", b.NProcs()),
		Details: []bsplib.Detail{
			{Name: "r", Value: fmt.Sprintf("%.4g Mflop/s", r/1e6)},
			{Name: "g", Value: m.gap.text(r, "ns a word", 1e9)},
			{Name: "l", Value: m.latency.text(r, "us", 1e6)},
		},
		Checksum: fmt.Sprintf("%016x", arrived.Sum),
	}
	for _, l := range m.lines {
		result.Details = append(result.Details, bsplib.Detail{
			Name:  fmt.Sprintf("h = %d to %d", l.from, l.to),
			Value: fmt.Sprintf("g = %s, l = %s, %.1f %% off", l.gap.figure(r), l.latency.figure(r), 100*l.off),
		})
	}
	if arrived.Wrong > 0 {
		result.Checks = []bsplib.ResultCheck{{Name: "words that did not arrive", Value: float64(arrived.Wrong)}}
		b.Report(result)
		return bsplib.ErrNotVerified
	}
	result.Checks = []bsplib.ResultCheck{{Name: "times beside g h + l", Value: m.off(), Limit: mostOff, Passed: true, Doubt: m.doubt()}}
	b.Report(result)
	if b.Pid() == 0 {
		whose := "measured"
		if b.Runtime().Emulated() {
			whose = "EMULATED"
		}
		fmt.Printf("%s: p = %d, r = %.4g Mflop/s, g = %s, l = %s\n", whose, b.NProcs(), r/1e6, m.gap.figure(r), m.latency.figure(r))
		for _, d := range result.Details[1:] {
			fmt.Printf("  %-13s %s\n", d.Name, d.Value)
		}
	}
	return nil
}

// estimate is a figure that was measured several times: the median, the least and the most.
type estimate struct{ middle, least, most float64 }

func estimateOf(values []float64) estimate {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return estimate{(sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[0], sorted[n-1]}
}

// figure is the estimate in operations; without evidence, for some turn has found none, there
// is no figure.
func (e estimate) figure(r float64) string {
	if e.least <= 0 {
		return "not known"
	}
	return fmt.Sprintf("%.4g flop", e.middle*r)
}

// text is the estimate in operations, and as a time, with its interval.
func (e estimate) text(r float64, unit string, scale float64) string {
	if e.least <= 0 {
		return fmt.Sprintf("not known (0 to %.4g %s)", e.most*scale, unit)
	}
	return fmt.Sprintf("%.4g flop = %.4g %s (%.4g to %.4g)", e.middle*r, e.middle*scale, unit, e.least*scale, e.most*scale)
}

// line is t = gap*h + latency through the times of supersteps with that many words.
type line struct {
	from, to     int
	gap, latency estimate
	off          float64 // by how much a time differs from it in the middle, as a part of the time
}

// measured is the results of all turns.
type measured struct {
	gap, latency estimate
	lines        []line // through sizes up to p words, and through sizes of p and more
}

// measure takes the times by turn and size.
func measure(all []int, seconds []float64, p int) measured {
	var m measured
	empty := make([]float64, turns)
	for turn := range empty {
		empty[turn] = seconds[turn*len(all)]
	}
	m.latency = estimateOf(empty)
	p = min(p, *longest)
	few := m.addLine(all, seconds, 0, p)
	many := m.addLine(all, seconds, p, *longest)
	m.gap = few.gap
	if many != nil {
		m.gap = many.gap
	}
	return m
}

// addLine adds the line through the times of the sizes within bounds, if at least two sizes
// are.
func (m *measured) addLine(all []int, seconds []float64, from, to int) *line {
	first, _ := slices.BinarySearch(all, from)
	end, _ := slices.BinarySearch(all, to+1)
	if end-first < 2 {
		return nil
	}
	h := make([]float64, end-first)
	for i := range h {
		h[i] = float64(all[first+i])
	}
	var gaps, latencies []float64
	middle := make([]float64, len(h))
	for turn := range turns {
		gap, latency := fit(h, seconds[turn*len(all)+first:][:len(h)])
		gaps, latencies = append(gaps, gap), append(latencies, latency)
	}
	l := line{from: from, to: to, gap: estimateOf(gaps), latency: estimateOf(latencies)}
	for i := range middle {
		times := make([]float64, turns)
		for turn := range times {
			times[turn] = seconds[turn*len(all)+first+i]
		}
		t := estimateOf(times).middle
		middle[i] = math.Abs(l.gap.middle*h[i]+l.latency.middle-t) / t
	}
	l.off = estimateOf(middle).middle
	m.lines = append(m.lines, l)
	return &m.lines[len(m.lines)-1]
}

// fit returns the line t = gap*h + latency, neither of them negative, with the least
// squares of the relative errors of the times.
func fit(h, t []float64) (gap, latency float64) {
	var w, wh, wt, whh, wht float64
	for i := range h {
		one := 1 / (t[i] * t[i])
		w += one
		wh += one * h[i]
		wt += one * t[i]
		whh += one * h[i] * h[i]
		wht += one * h[i] * t[i]
	}
	if spread := w*whh - wh*wh; spread > 0 {
		gap = (w*wht - wh*wt) / spread
	}
	latency = (wt - gap*wh) / w
	switch {
	case gap < 0:
		return 0, wt / w
	case latency < 0 && whh > 0:
		return wht / whh, 0
	}
	return gap, latency
}

// mostOff bounds the relative error of the median time against its line; a figure whose
// interval is wider than mostWide times itself is not significant.
const (
	mostOff  = 0.1
	mostWide = 1
)

// off returns the deviation of times from the line that determines g.
func (m *measured) off() float64 { return m.lines[len(m.lines)-1].off }

// doubt is "" if the times follow a line and six turns have found about the same.
func (m *measured) doubt() string {
	wide := func(e estimate) bool { return e.most-e.least > mostWide*e.middle }
	switch {
	case m.off() > mostOff:
		return "does not fit"
	case wide(m.gap):
		return "does not fit: g varies"
	case wide(m.latency):
		return "does not fit: l varies"
	}
	return ""
}
