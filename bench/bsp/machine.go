package main

import "github.com/migbsp/migbsp/bench/internal/results"

// The parameters of the machine as a BSP computer, in the sense of Bisseling's
// bspbench: r from an in-cache axpy, g and l from the straight line
// T(h) = l + g*h through the times of full h-relations of single words.
const (
	axpyLength = 1024
	axpyFlops  = 4 * axpyLength // of a pair

	maxRelation  = 256
	relationStep = 8
	points       = maxRelation/relationStep + 1
)

// machine measures and prints r, g and l. Collective.
func (b *bench) machine() error {
	wantLine := b.suite.selected("g") || b.suite.selected("l")
	if !wantLine && !b.suite.selected("r") {
		return nil
	}
	b.enter(place{words: max(mib, 2*maxRelation+b.NProcs())})
	for i := range axpyLength {
		b.to[i] = 1
	}
	r := b.time((*bench).axpyPair, axpyLength, b.suite.seconds)
	flops := axpyFlops / r.min
	if err := b.parameter("r", r, results.Row{Ops: axpyFlops, GFlops: six(flops * 1e-9)}); err != nil || !wantLine {
		return err
	}
	var h, least, typical [points]float64
	for i := range points {
		t := b.time((*bench).relation, i*relationStep, b.suite.seconds/8)
		h[i], least[i], typical[i] = float64(i*relationStep), t.min, t.median
	}
	minimum, median := fit(h[:], least[:]), fit(h[:], typical[:])
	g, l := timing{minimum.g, median.g}, timing{minimum.l, median.l}
	if err := b.parameter("g", g, results.Row{Bytes: wordBytes, Ops: 1, Flops: six(g.min * flops)}); err != nil {
		return err
	}
	return b.parameter("l", l, results.Row{Flops: six(l.min * flops)})
}

// parameter completes a row and prints it on process 0.
func (b *bench) parameter(name string, t timing, r results.Row) error {
	if b.Pid() != 0 || !b.suite.selected(name) {
		return nil
	}
	r.Measure, r.P, r.MinUS, r.MedianUS = name, b.NProcs(), t.min*1e6, t.median*1e6
	return b.suite.print(r)
}

// axpyPair computes only: y += a*x, y -= b*x, with a and b so close that y
// stays bounded.
func (b *bench) axpyPair(n int) {
	const alpha, beta = 1.0 / 3, 1.0/3 + 1e-15
	axpy(alpha, b.from[:n], b.to[:n])
	axpy(-beta, b.from[:n], b.to[:n])
}

func axpy(alpha float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += alpha * v
	}
}

// relation is an h-relation: each process puts h words, in turn to all others,
// and receives h, up to rounding.
func (b *bench) relation(h int) {
	x, values, to, round := b.dst, b.from, b.right, 0
	for i := range h {
		x.Put(to, round*b.NProcs()+b.Pid(), values[i])
		if to++; to == b.NProcs() {
			to = 0
		}
		if to == b.Pid() || b.NProcs() == 1 {
			to = b.right
			round++
		}
	}
	b.Sync()
}

// line is T(h) = l + g*h.
type line struct{ g, l float64 }

// fit returns the line of least squares through the points (h, t), of which
// there are at least two different ones.
func fit(h, t []float64) line {
	var sh, st, shh, sht float64
	for i := range h {
		sh, st = sh+h[i], st+t[i]
		shh, sht = shh+h[i]*h[i], sht+h[i]*t[i]
	}
	n := float64(len(h))
	g := (n*sht - sh*st) / (n*shh - sh*sh)
	return line{g, (st - g*sh) / n}
}
