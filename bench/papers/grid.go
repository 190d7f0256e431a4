package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/sim"
)

// With D=0 no superstep counts as balanced, so that alpha stays what it is.
const (
	paperCube = "migcube,guard=0,D=0"
	paperHull = "mighull,guard=0,D=0"
	paperOne  = "one,guard=0,D=0"
	paperPart = "percent,guard=0,D=0"
)

func gridPart(ctx context.Context, s *settings, session *frame.Session) error {
	platform, err := sim.Read(filepath.Join(s.examples, "grid5000.xml"))
	if err != nil {
		return err
	}
	var cells []*cell
	for _, r := range gridPublished {
		where, err := platform.Named(gridMapping(r.mapping))
		if err != nil {
			return err
		}
		for _, steps := range gridSteps {
			c := &cell{
				name: fmt.Sprintf("%s, %d supersteps", r.mapping, steps), alphas: gridAlphas, tries: s.tries,
				config: sim.Config{
					Platform: platform, Where: where,
					Workload: &sim.Ring{Size: len(where), Length: steps, Flops: 0.9e9, Bytes: 1e6, Kept: 1e6},
				},
			}
			for _, alpha := range gridAlphas {
				for _, spec := range []string{paperCube, paperHull, paperOne, paperPart, ours} {
					c.specs = append(c.specs, withAlpha(spec, alpha))
				}
			}
			cells = append(cells, c)
		}
	}
	if err := runAll(ctx, session, "grid", cells); err != nil {
		return err
	}
	gridTable(session, cells)
	gridMeans(session, cells)
	gridMigrations(session, cells)
	if s.plots != "" {
		return gridPlot(filepath.Join(s.plots, "papers-grid.svg"), cells)
	}
	return nil
}

// gridMapping says where the 60 processes are at first, as the paper's figures allow to
// find out: 37 on ten nodes of capricorne and 23 on suno, but for cpu 42 and 18.
func gridMapping(how string) []string {
	slow, fast := 37, 23
	nodes := 15
	onSlow := func(k int) bool { return k < 37 }
	switch how {
	case "descending":
		onSlow = func(k int) bool { return k >= 23 }
	case "cpu":
		slow, fast, nodes = 42, 18, 8
		onSlow = func(k int) bool { return k%10 < 7 }
	case "round-robin":
		onSlow = func(k int) bool { return k%3 < 2 }
	}
	var where []string
	used := [2]int{}
	for k := range slow + fast {
		if (onSlow(k) || used[1] == fast) && used[0] < slow {
			where = append(where, fmt.Sprintf("capricorne-%d", 1+used[0]%10))
			used[0]++
		} else {
			where = append(where, fmt.Sprintf("suno-%d", 1+used[1]%nodes))
			used[1]++
		}
	}
	return where
}

// gridCell gives the published lines of a cell by its number.
func gridCell(k int) (cube, hull *gridTime) {
	r := &gridPublished[k/len(gridSteps)]
	return &r.cube[k%len(gridSteps)], &r.hull[k%len(gridSteps)]
}

func gridTable(session *frame.Session, cells []*cell) {
	var rows [][]string
	sum := new(summary)
	for k, c := range cells {
		cube, hull := gridCell(k)
		off := c.off.Time/cube.i - 1
		for a, alpha := range gridAlphas {
			sum.add(c, alpha, off, max(1-cube.iii[a]/cube.i, 1-hull.iii[a]/hull.i))
			rows = append(rows, []string{
				gridPublished[k/len(gridSteps)].mapping, fmt.Sprint(gridSteps[k%len(gridSteps)]), fmt.Sprint(alpha),
				seconds(cube.i), seconds(c.off.Time), signed(off), signed(cube.ii[a]/cube.i - 1), signed(c.overhead(withAlpha(ours, alpha))),
				signed(1 - cube.iii[a]/cube.i), signed(c.saved(withAlpha(paperCube, alpha))),
				signed(1 - hull.iii[a]/hull.i), signed(c.saved(withAlpha(paperHull, alpha))),
				signed(c.saved(withAlpha(ours, alpha))), signed(1 - c.static/c.off.Time), signed(c.possible(alpha)),
			})
		}
	}
	session.Table(frame.Table{Part: "grid", Title: "MigCube and MigHull on Grid'5000 (Tables 5.1 and 5.2)", Header: []string{
		"mapping", "steps", "alpha", "i published", "i", "off by", "ii published", "ii auto",
		"cube published", "cube", "hull published", "hull", "auto", "best static", "bound",
	}, Rows: rows, Text: []int{0}, Notes: sum.notes()})
}

// gridMeans are Figures 5.6 and 5.8: time saved on average over mappings and lengths.
func gridMeans(session *frame.Session, cells []*cell) {
	var rows [][]string
	for a, alpha := range gridAlphas {
		var cube, hull []float64
		simulated := make([][]float64, 5)
		for k, c := range cells {
			pc, ph := gridCell(k)
			cube, hull = append(cube, 1-pc.iii[a]/pc.i), append(hull, 1-ph.iii[a]/ph.i)
			for i, spec := range []string{paperCube, paperHull, paperOne, paperPart, ours} {
				simulated[i] = append(simulated[i], c.saved(withAlpha(spec, alpha)))
			}
		}
		row := []string{fmt.Sprint(alpha), percent(mean(cube)), percent(mean(simulated[0])), percent(mean(hull)), percent(mean(simulated[1]))}
		for _, saved := range simulated[2:] {
			row = append(row, percent(mean(saved)))
		}
		rows = append(rows, row)
	}
	session.Table(frame.Table{Part: "grid-means", Title: "Time saved on average (Figures 5.6 and 5.8)", Header: []string{
		"alpha", "cube published", "cube", "hull published", "hull", "one process", "percentage", "auto",
	}, Rows: rows})
}

// gridMigrations are Figure 5.2: processes that move in each call with alpha 8.
func gridMigrations(session *frame.Session, cells []*cell) {
	var rows [][]string
	for k, c := range cells {
		if gridSteps[k%len(gridSteps)] != 80 {
			continue
		}
		for _, spec := range []string{paperCube, paperHull, ours} {
			row := []string{gridPublished[k/len(gridSteps)].mapping, spec}
			at := make(map[int]int)
			for _, d := range c.moves[withAlpha(spec, 8)].calls {
				at[d.Step] += len(d.Moves)
			}
			for step := 8; step <= 80; step += 8 {
				row = append(row, fmt.Sprint(at[step]))
			}
			rows = append(rows, row)
		}
	}
	header := []string{"mapping", "strategy"}
	for step := 8; step <= 80; step += 8 {
		header = append(header, fmt.Sprint(step))
	}
	session.Table(frame.Table{Title: "Processes that move after supersteps, alpha 8, 80 supersteps (Figures 5.2 and 5.4)", Header: header, Rows: rows, Text: []int{0, 1}})
}
