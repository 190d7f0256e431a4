package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/sim"
)

// dpAlphas are the first alphas of the paper on dynamic programming.
var dpAlphas = []int{2, 4, 8, 16}

// dpPublished is its Table 1: seconds of scenario i, and of ii and iii by alpha.
var dpPublished = []struct {
	n   int
	i   float64
	ii  [4]float64
	iii [4]float64
}{
	{10, 13.34, [4]float64{14.15, 14.71, 13.78, 13.42}, [4]float64{13.09, 11.94, 13.82, 12.40}},
	{25, 40.74, [4]float64{43.05, 42.24, 41.63, 41.28}, [4]float64{35.97, 34.82, 41.64, 40.64}},
	{50, 92.59, [4]float64{95.70, 94.84, 94.03, 93.36}, [4]float64{85.95, 84.65, 83.00, 85.21}},
	{100, 162.66, [4]float64{166.57, 165.66, 164.80, 164.04}, [4]float64{150.57, 148.89, 146.55, 162.49}},
	{200, 389.91, [4]float64{394.68, 393.75, 392.85, 392.01}, [4]float64{374.62, 375.53, 374.38, 374.40}},
}

func withAlpha(spec string, alpha int) string { return fmt.Sprintf("%s,alpha=%d", spec, alpha) }

// dpConfig is dynamic programming as the paper has it.
func dpConfig(platform *sim.Platform, where []int32, n int) sim.Config {
	return sim.Config{
		Platform: platform, Where: where,
		Workload: &sim.Wavefront{Size: n, First: 1e6, Last: 1e9, Bytes: 5e6 / float64(n), Kept: 7e5},
	}
}

func dpPart(ctx context.Context, s *settings, session *frame.Session) error {
	platform, err := sim.Read(filepath.Join(s.examples, "clusters-of-clusters.xml"))
	if err != nil {
		return err
	}
	var cells []*cell
	for _, r := range dpPublished {
		where, err := platform.Place(r.n, "contiguous")
		if err != nil {
			return err
		}
		c := &cell{name: fmt.Sprintf("wavefronts of %d processes", r.n), alphas: dpAlphas, tries: s.tries, config: dpConfig(platform, where, r.n)}
		for _, alpha := range dpAlphas {
			c.specs = append(c.specs, withAlpha(paperPercent, alpha), withAlpha(ours, alpha))
		}
		cells = append(cells, c)
	}
	if err := runAll(ctx, session, "dp", cells); err != nil {
		return err
	}
	dpTable(session, cells)
	facts(session, "dp-moved", dpFacts(cells, paperPercent))
	if s.plots != "" {
		return dpPlot(filepath.Join(s.plots, "papers-dp.svg"), cells)
	}
	return nil
}

func dpTable(session *frame.Session, cells []*cell) {
	var rows [][]string
	sum := new(summary)
	for k, c := range cells {
		r := dpPublished[k]
		off := c.off.Time/r.i - 1
		for a, alpha := range dpAlphas {
			theirs, own := withAlpha(paperPercent, alpha), withAlpha(ours, alpha)
			sum.add(c, alpha, off, 1-r.iii[a]/r.i)
			rows = append(rows, []string{
				fmt.Sprint(r.n), fmt.Sprint(alpha), seconds(r.i), seconds(c.off.Time), signed(off),
				signed(r.ii[a]/r.i - 1), signed(c.overhead(theirs)), signed(c.overhead(own)),
				signed(1 - r.iii[a]/r.i), signed(c.saved(theirs)), signed(c.saved(own)),
				signed(1 - c.static/c.off.Time), signed(c.possible(alpha)),
			})
		}
	}
	session.Table(frame.Table{Part: "dp", Title: "Dynamic programming in wavefronts on the same clusters (Table 1)", Header: []string{
		"n", "alpha", "i published", "i", "off by",
		"ii published", "ii percent", "ii auto", "saved published", "percent", "auto", "best static", "bound",
	}, Rows: rows, Notes: sum.notes()})
}

// dpFacts are what the text tells of moves.
func dpFacts(cells []*cell, strategy string) []fact {
	var all []fact
	say := func(n, alpha, step, first, last, count int, about string) {
		for k, r := range dpPublished {
			if r.n == n {
				all = append(all, fact{
					cell: cells[k], spec: withAlpha(strategy, alpha), step: step, first: first, last: last, count: count, to: "Aquario",
					about: fmt.Sprintf("alpha %d: %s", alpha, about),
				})
			}
		}
	}
	say(25, 2, 14, 1, 12, 12, "processes 1 to 12")
	say(25, 2, 30, 21, 25, 5, "processes 21 to 25")
	say(25, 8, 8, 1, 1, 1, "process 1")
	say(25, 8, 24, 21, 23, 3, "processes 21 to 23")
	say(25, 16, 48, 24, 25, 2, "processes 24 and 25")
	say(50, 2, 30, 21, 29, 9, "processes 21 to 29")
	say(50, 2, 62, 37, 42, 6, "processes 37 to 42")
	say(50, 4, 60, 37, 42, 6, "processes 37 to 42")
	say(50, 8, 24, 21, 23, 3, "processes 21 to 23")
	say(50, 8, 56, 37, 42, 6, "processes 37 to 42")
	say(100, 2, 30, 21, 29, 9, "processes 21 to 29")
	say(100, 2, 62, 37, 42, 6, "processes 37 to 42")
	say(100, 2, 126, 30, 36, 5, "5 of the processes 30 to 36")
	say(100, 16, 16, 1, 11, 11, "processes 1 to 11")
	say(100, 16, 48, 37, 42, 6, "all of Frontal")
	say(100, 16, 112, 34, 36, 3, "processes 34 to 36")
	say(200, 2, 30, 21, 31, 11, "processes 21 to 31")
	say(200, 2, 62, 37, 42, 6, "all of Frontal")
	say(200, 2, 126, 31, 36, 6, "processes 31 to 36")
	say(200, 2, 388, 189, 200, 12, "processes 189 to 200")
	return all
}
