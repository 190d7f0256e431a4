package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/sim"
)

// The barrier of the papers' simulations, by router: process 0 hears of the others one
// after another.
var paperBarrier = sim.Barrier{Near: 12.2e-6, Far: 87.7e-6}

// luPublished is Table 2 of the paper on LU decomposition, and what its Figure 6 and
// text say of order 5000: seconds of scenarios i, ii and iii, NaN where none is given.
var luPublished = []struct {
	n, p, rows int
	i, ii, iii float64
}{
	{500, 25, 5, 1.68, 2.42, 2.42}, {500, 50, 10, 2.59, 3.54, 3.34}, {500, 100, 10, 6.70, 7.81, 7.65}, {500, 200, 20, 13.23, 14.89, 14.89},
	{1000, 25, 5, 11.65, 13.13, 10.24}, {1000, 50, 10, 10.10, 11.18, 9.63}, {1000, 100, 10, 15.22, 16.21, 16.21}, {1000, 200, 20, 28.21, 30.46, 30.46},
	{2000, 25, 5, 90.11, 91.26, 76.20}, {2000, 50, 10, 60.23, 61.98, 54.18}, {2000, 100, 10, 48.79, 50.25, 46.87}, {2000, 200, 20, 74.14, 76.97, 76.97},
	{5000, 50, 10, 852.31, math.NaN(), 723.64}, {5000, 200, 20, 460.85, math.NaN(), 450.33},
}

const (
	ours    = "auto"
	luAlpha = 4
)

// paperPercent is the papers' heuristic, with their viability test and nothing else.
var paperPercent = reading(paperReading)

// luConfig is LU decomposition as the paper has it.
func luConfig(platform *sim.Platform, where []int32, n, p, rows int) sim.Config {
	return sim.Config{
		Platform: platform, Where: where, Barrier: paperBarrier,
		Workload: &sim.LU{Size: n, M: rows, N: p / rows, Flops: 500, Element: 4, Even: true},
	}
}

func luPart(ctx context.Context, s *settings, session *frame.Session) error {
	platform, err := sim.Read(filepath.Join(s.examples, "clusters-of-clusters.xml"))
	if err != nil {
		return err
	}
	var cells []*cell
	for _, r := range luPublished {
		if r.n > s.order {
			break
		}
		where, err := platform.Place(r.p, "contiguous")
		if err != nil {
			return err
		}
		cells = append(cells, &cell{
			name: fmt.Sprintf("LU of order %d with %d processes", r.n, r.p), specs: []string{withAlpha(paperPercent, luAlpha), withAlpha(ours, luAlpha)}, alphas: []int{luAlpha}, tries: s.tries,
			config: luConfig(platform, where, r.n, r.p, r.rows),
		})
	}
	if err := runAll(ctx, session, "lu", cells); err != nil {
		return err
	}
	luTable(session, cells)
	facts(session, "lu-moved", luFacts(cells, paperPercent))
	if s.plots != "" {
		return luPlot(filepath.Join(s.plots, "papers-lu.svg"), cells)
	}
	return nil
}

func luTable(session *frame.Session, cells []*cell) {
	var rows [][]string
	sum, theirs, own := new(summary), withAlpha(paperPercent, luAlpha), withAlpha(ours, luAlpha)
	for k, c := range cells {
		r := luPublished[k]
		off := c.off.Time/r.i - 1
		sum.add(c, luAlpha, off, 1-r.iii/r.i)
		rows = append(rows, []string{
			fmt.Sprint(r.n), fmt.Sprint(r.p), seconds(r.i), seconds(c.off.Time), signed(off),
			signed(r.ii/r.i - 1), signed(c.overhead(theirs)), signed(c.overhead(own)),
			signed(1 - r.iii/r.i), signed(c.saved(theirs)), signed(c.saved(own)),
			signed(1 - c.static/c.off.Time), signed(c.possible(luAlpha)),
		})
	}
	session.Table(frame.Table{Part: "lu", Title: "LU decomposition on a cluster of clusters (Table 2 and Figure 6)", Header: []string{
		"n", "p", "i published", "i", "off by",
		"ii published", "ii percent", "ii auto", "saved published", "percent", "auto", "best static", "bound",
	}, Rows: rows, Notes: sum.notes()})
}

// luFacts are what the text tells of moves. Processes count from 1 there.
func luFacts(cells []*cell, strategy string) []fact {
	at := func(n, p int) *cell {
		for k := range cells {
			if r := &luPublished[k]; r.n == n && r.p == p {
				return cells[k]
			}
		}
		return nil
	}
	spec := withAlpha(strategy, luAlpha)
	return slices.DeleteFunc([]fact{
		{cell: at(500, 25), spec: spec, about: "nothing is worth moving"},
		{cell: at(1000, 25), spec: spec, step: 11, first: 21, last: 25, count: 5, to: "Aquario", about: "5 from Corisco"},
		{cell: at(1000, 50), spec: spec, step: 9, first: 37, last: 42, count: 6, to: "Aquario", about: "6 from Frontal"},
		{cell: at(1000, 100), spec: spec, about: "nothing is worth moving"},
		{cell: at(1000, 200), spec: spec, about: "nothing is worth moving"},
		{cell: at(2000, 25), spec: spec, step: 4, first: 21, last: 25, count: 5, to: "Aquario", about: "all 5 from Corisco"},
		{cell: at(2000, 50), spec: spec, step: 4, first: 37, last: 42, count: 6, to: "Aquario", about: "6 from Frontal"},
		{cell: at(2000, 50), spec: spec, step: 9, first: 21, last: 36, count: 14, to: "Aquario", about: "14 of 16 from Corisco, no more nodes being free"},
		{cell: at(5000, 200), spec: spec, step: 4, first: 195, last: 200, count: 6, to: "Aquario", about: "6 of those that share nodes of Corisco"},
	}, func(f fact) bool { return f.cell == nil })
}
