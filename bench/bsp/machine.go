package main

import (
	"github.com/migbsp/migbsp/bench/internal/results"
	"github.com/migbsp/migbsp/internal/meter"
)

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
	b.enter(place{words: max(mib, meter.RelationWords(b.NProcs(), maxRelation))})
	for i := range axpyLength {
		b.to[i] = 1
	}
	r := b.time((*bench).axpyPair, axpyLength, b.suite.seconds)
	flops := axpyFlops / r.Min
	if err := b.parameter("r", r, results.Row{Ops: axpyFlops, GFlops: six(flops * 1e-9)}); err != nil || !wantLine {
		return err
	}
	var h, least, typical [points]float64
	for i := range points {
		t := b.time((*bench).relation, i*relationStep, b.suite.seconds/8)
		h[i], least[i], typical[i] = float64(i*relationStep), t.Min, t.Median
	}
	minimum, median := meter.Fit(h[:], least[:]), meter.Fit(h[:], typical[:])
	g, l := meter.Times{Min: minimum.G, Median: median.G}, meter.Times{Min: minimum.L, Median: median.L}
	if err := b.parameter("g", g, results.Row{Bytes: wordBytes, Ops: 1, Flops: six(g.Min * flops)}); err != nil {
		return err
	}
	return b.parameter("l", l, results.Row{Flops: six(l.Min * flops)})
}

// parameter completes a row and prints it on process 0.
func (b *bench) parameter(name string, t meter.Times, r results.Row) error {
	if b.Pid() != 0 || !b.suite.selected(name) {
		return nil
	}
	r.Measure, r.P, r.MinUS, r.MedianUS = name, b.NProcs(), t.Min*1e6, t.Median*1e6
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

func (b *bench) relation(h int) { meter.Relation(b.Proc, b.dst, b.from, h) }
