package meter

import (
	"math"

	"github.com/migbsp/migbsp/bsplib"
)

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
