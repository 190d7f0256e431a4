package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/sim"
)

// The papers do not say for how many supersteps a potential of migration is, nor what Mig,
// the part of its cost that does not depend on a process's size, amounts to. These are
// readings of the model; 0.27 s is what the dissertation on jMigBSP measured of a process of
// 1 KB.
var readings = []string{"span=1", "span=1,mig=0.27", "span=alpha", "span=alpha,mig=0.27", "span=alpha,mig=1"}

// paperReading is the one of which most statements come out; the tables have it.
const paperReading = "span=alpha,mig=0.27"

func reading(r string) string { return "percent,guard=0," + r }

// readingsPart counts, for each reading, which statements on what moved come out, and by
// how much what is saved differs from what the papers saved.
func readingsPart(ctx context.Context, s *settings, session *frame.Session) error {
	platform, err := sim.Read(filepath.Join(s.examples, "clusters-of-clusters.xml"))
	if err != nil {
		return err
	}
	lu, dp, err := readingCells(platform, s)
	if err != nil {
		return err
	}
	if err := runAll(ctx, session, "readings", append(lu[:len(lu):len(lu)], dp...)); err != nil {
		return err
	}
	t := frame.Table{Part: "readings", Title: "What comes out with readings of the potential of migration", Header: []string{
		"reading", "statements on LU", "on wavefronts", "in part", "LU's gains off by", "wavefronts' gains off by",
	}, Text: []int{0}}
	for _, r := range readings {
		spec := reading(r)
		count, part := [2]int{}, 0
		all := [2][]fact{luFacts(lu, spec), dpFacts(dp, spec)}
		for k := range all {
			for i := range all[k] {
				switch verdict, _ := all[k][i].check(); verdict {
				case "yes":
					count[k]++
				case "no":
				default:
					part++
				}
			}
		}
		t.Add(r, fmt.Sprintf("%d of %d", count[0], len(all[0])), fmt.Sprintf("%d of %d", count[1], len(all[1])), fmt.Sprint(part),
			points(luGains(lu, spec)), points(dpGains(dp, spec)))
	}
	t.Notes = []string{
		"Gains are off by the root of the mean square of points of per cent, where the papers gain something.",
		"The tables above have " + paperReading + ".",
	}
	session.Table(t)
	return nil
}

// readingCells are the experiments whose moves the papers tell, without oracle.
func readingCells(platform *sim.Platform, s *settings) (lu, dp []*cell, err error) {
	add := func(cells []*cell, name string, config sim.Config, alphas ...int) []*cell {
		c := &cell{name: name, config: config, brief: true}
		for _, r := range readings {
			for _, alpha := range alphas {
				c.specs = append(c.specs, withAlpha(reading(r), alpha))
			}
		}
		return append(cells, c)
	}
	for _, r := range luPublished {
		if r.n > s.order {
			break
		}
		where, err := platform.Place(r.p, "contiguous")
		if err != nil {
			return nil, nil, err
		}
		lu = add(lu, fmt.Sprintf("LU of order %d with %d processes", r.n, r.p), luConfig(platform, where, r.n, r.p, r.rows), luAlpha)
	}
	for _, r := range dpPublished {
		where, err := platform.Place(r.n, "contiguous")
		if err != nil {
			return nil, nil, err
		}
		dp = add(dp, fmt.Sprintf("wavefronts of %d processes", r.n), dpConfig(platform, where, r.n), dpAlphas...)
	}
	return lu, dp, nil
}

// luGains and dpGains are by how much what a strategy saves differs from what was published,
// where that is a gain.
func luGains(cells []*cell, spec string) (off []float64) {
	for k, c := range cells {
		if r := luPublished[k]; r.iii < r.i {
			off = append(off, c.saved(withAlpha(spec, luAlpha))-(1-r.iii/r.i))
		}
	}
	return off
}

func dpGains(cells []*cell, spec string) (off []float64) {
	for k, c := range cells {
		r := dpPublished[k]
		for a, alpha := range dpAlphas {
			if r.iii[a] < r.i {
				off = append(off, c.saved(withAlpha(spec, alpha))-(1-r.iii[a]/r.i))
			}
		}
	}
	return off
}

// points are parts of a whole that differ, as points of per cent.
func points(off []float64) string {
	if len(off) == 0 {
		return ""
	}
	return seconds(100 * math.Abs(rms(off)))
}
