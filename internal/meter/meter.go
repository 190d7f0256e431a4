// Package meter times supersteps on the processes that call it. The times of Relation with
// more and more words give, with Fit, the parameters g and l of the machine as a BSP
// computer, which the tool's bench measures. bench/bsp takes the times of all its measures so.
package meter

import (
	"math"
	"slices"

	"github.com/migbsp/migbsp/bsplib"
)

// Steps run in batches of about batchSeconds, long compared with the clock and short
// compared with the time slices of the operating system, so that the minimum over batches
// sees a quiet machine even when the machine is not quiet. A step that is slower than
// slowSeconds, twice, gets a batch of its own, with the Sync that ends one.
const (
	batchSeconds = 1e-3
	slowSeconds  = 2e-3

	minSteps   = 8
	minBatches = 5
	maxBatches = 400
)

// A Batch makes a number of supersteps; every process calls it with the same number. The
// loop over them is the caller's, so that only it comes between two steps.
type Batch func(steps int)

// Times are seconds per step, over batches.
type Times struct{ Min, Median float64 }

// Time repeats steps for about the given seconds and returns process 0's
// times on every process. Collective.
func Time(p *bsplib.Proc, seconds float64, do Batch) Times {
	steps, each := batchSize(p, do)
	batches := int(seconds / (float64(steps) * each))
	batches = max(minBatches, min(batches, maxBatches))
	samples := make([]float64, batches)
	for i := range samples {
		samples[i] = do.time(p, steps) / float64(steps)
	}
	slices.Sort(samples)
	return Times{samples[0], (samples[(batches-1)/2] + samples[batches/2]) / 2}
}

// batchSize finds the steps of a batch by doubling, which also warms up the
// library's buffers, and the seconds of one step.
func batchSize(p *bsplib.Proc, do Batch) (steps int, each float64) {
	do.time(p, 1)
	for steps = 1; ; steps *= 2 {
		each = max(do.time(p, steps)/float64(steps), 1e-9)
		if each > slowSeconds {
			each = min(each, do.time(p, steps)/float64(steps))
		}
		if each > slowSeconds {
			return 1, each
		}
		if float64(steps)*each > batchSeconds/2 {
			return max(int(batchSeconds/each), minSteps), each
		}
	}
}

// time returns process 0's seconds for some steps, on every process. The Sync after them
// makes it wait until the others have received the data of the last step.
func (do Batch) time(p *bsplib.Proc, steps int) float64 {
	p.Sync()
	begin := p.Time()
	do(steps)
	p.Sync()
	took := []float64{(p.Time() - begin).Seconds()}
	bsplib.Broadcast(p, 0, took)
	return took[0]
}

// Relation is an h-relation: a superstep in which each process puts h words, in turn to
// all others, or to itself if it is alone, and receives h, up to rounding. The area has
// RelationWords or more, values h.
func Relation(p *bsplib.Proc, area bsplib.Area[float64], values []float64, h int) {
	right := p.Pid() + 1
	if right == p.NProcs() {
		right = 0
	}
	to, round := right, 0
	for i := range h {
		area.Put(to, round*p.NProcs()+p.Pid(), values[i])
		if to++; to == p.NProcs() {
			to = 0
		}
		if to == p.Pid() || p.NProcs() == 1 {
			to = right
			round++
		}
	}
	p.Sync()
}

// RelationWords is how long the areas are for relations of up to h words.
func RelationWords(procs, h int) int { return 2*h + procs }

// Line is T(h) = L + G*h, the time of a superstep with h words, with the standard errors that
// its points give.
type Line struct{ G, L, GError, LError float64 }

// Fit returns the line through the points (h, t), of which at least two differ in h, with
// the least squares of relative errors in t, all positive: a long time varies by more than
// a short one. It also returns the mean relative error.
func Fit(h, t []float64) (line Line, off float64) {
	weight := func(i int) float64 { return 1 / (t[i] * t[i]) }
	var w, wh, wt, whh, wht float64
	for i := range h {
		one := weight(i)
		w += one
		wh += one * h[i]
		wt += one * t[i]
		whh += one * h[i] * h[i]
		wht += one * h[i] * t[i]
	}
	g := (w*wht - wh*wt) / (w*whh - wh*wh)
	line = Line{G: g, L: (wt - g*wh) / w}
	if free := len(h) - 2; free > 0 {
		rest := 0.0
		for i := range h {
			d := t[i] - line.L - line.G*h[i]
			rest += weight(i) * d * d
		}
		variance := rest / float64(free) / (w*whh - wh*wh)
		line.GError, line.LError = math.Sqrt(variance*w), math.Sqrt(variance*whh)
	}
	for i := range h {
		off += math.Abs(line.L+line.G*h[i]-t[i]) / t[i] / float64(len(h))
	}
	return line, off
}
