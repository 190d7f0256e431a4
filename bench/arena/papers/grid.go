package papers

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/sim"
)

// With D=0 no superstep counts as balanced, so that alpha does not change.
const (
	paperCube = "migcube,guard=0,D=0"
	paperHull = "mighull,guard=0,D=0"
	paperOne  = "one,guard=0,D=0"
	paperPart = "percent,guard=0,D=0"
)

func gridCells(examples string) (cells []*cell, err error) {
	platform, err := sim.Read(filepath.Join(examples, "grid5000.xml"))
	if err != nil {
		return nil, err
	}
	for _, r := range gridPublished {
		where, err := platform.Named(gridMapping(r.mapping))
		if err != nil {
			return nil, err
		}
		for _, steps := range gridSteps {
			c := &cell{
				name: fmt.Sprintf("%s, %d supersteps", r.mapping, steps), alphas: gridAlphas,
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
	return cells, nil
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

// gridGains are means over all cells; of what was published that of the better heuristic.
func gridGains(cells []*cell) (rows [][]string) {
	var off, cubes, hulls, most []float64
	for k, c := range cells {
		cube, hull := gridCell(k)
		off = append(off, c.off.Time/cube.i-1)
		for a, alpha := range gridAlphas {
			cubes, hulls = append(cubes, 1-cube.iii[a]/cube.i), append(hulls, 1-hull.iii[a]/hull.i)
			most = append(most, c.possible(alpha))
		}
	}
	theirs, own := []float64{gridMean(cells, paperCube, gridAlphas...)}, []float64{gridMean(cells, ours, gridAlphas...)}
	if frame.Mean(hulls) > frame.Mean(cubes) {
		cubes = hulls
	}
	return [][]string{gainsRow("Cube", off, cubes, theirs, own, most)}
}

// gridMean returns the mean saving of a strategy over some cells and alphas.
func gridMean(cells []*cell, spec string, alphas ...int) float64 {
	var all []float64
	for _, c := range cells {
		for _, alpha := range alphas {
			all = append(all, c.saved(withAlpha(spec, alpha)))
		}
	}
	return frame.Mean(all)
}

// gridBestAlpha returns the alpha with the largest saving of a strategy.
func gridBestAlpha(cells []*cell, spec string) string {
	best := gridAlphas[0]
	for _, alpha := range gridAlphas {
		if gridMean(cells, spec, alpha) > gridMean(cells, spec, best) {
			best = alpha
		}
	}
	return fmt.Sprint(best)
}

// gridHeuristics are the paper's two heuristics, with the statements on each.
var gridHeuristics = []struct{ name, spec, cost, most string }{
	{"cube", paperCube, "3.21%", "42%"}, {"hull", paperHull, "3.45%", "35%"},
}

func gridClaims(_ context.Context, _ string, cells []*cell) ([]claim, error) {
	l := new(claims)
	for h := range gridHeuristics {
		l.gridSection(h, cells)
	}
	l.gridMoves(cells)
	l.gridCompared(cells)
	return l.all, nil
}

// gridOf are the cells of one length.
func gridOf(cells []*cell, steps int) (some []*cell) {
	for k, c := range cells {
		if gridSteps[k%len(gridSteps)] == steps {
			some = append(some, c)
		}
	}
	return some
}

// gridSection is Section 5.1 or 5.2 with its table.
func (l *claims) gridSection(h int, cells []*cell) {
	x := gridHeuristics[h]
	var costs, i, off, ii, decides, iii, moves []float64
	more, grows := 0, 0
	for k, c := range cells {
		cube, hull := gridCell(k)
		line := []*gridTime{cube, hull}[h]
		i, off = append(i, line.i), append(off, c.off.Time)
		for a, alpha := range gridAlphas {
			spec := withAlpha(x.spec, alpha)
			ii, decides = append(ii, line.ii[a]), append(decides, c.decides[spec].Time)
			iii, moves = append(iii, line.iii[a]), append(moves, c.moves[spec].Time)
			costs = append(costs, c.overhead(spec))
			if c.overhead(spec) > 0 {
				more++
			}
			if k%len(gridSteps) > 0 && c.saved(spec) > cells[k-1].saved(spec) {
				grows++
			}
		}
	}
	l.source, l.run = fmt.Sprintf("Cube §5.%d", h+1), x.name
	l.add("ii>i", "60", fmt.Sprint(more))
	l.add("mean ii", x.cost, as(x.cost, frame.Mean(costs)))
	l.add("growing gains", "48", fmt.Sprint(grows))
	l.add("best alpha", "8", gridBestAlpha(cells, x.spec))
	l.add("20: best alpha", "16", gridBestAlpha(gridOf(cells, 20), x.spec))
	l.add("worst mapping", "cpu", gridPublished[gridWorst(cells, x.spec)].mapping)
	l.source = fmt.Sprintf("Cube Table 5.%d", h+1)
	l.times("i", i, off)
	l.times("ii", ii, decides)
	l.times("iii", iii, moves)
}

// gridMoves are the statements of both sections on moves.
func (l *claims) gridMoves(cells []*cell) {
	l.source, l.run = "Cube §5.1", "cube"
	for m, c := range gridOf(cells, 20) {
		l.add(gridPublished[m].mapping+" 20/16", "1", fmt.Sprint(c.moves[withAlpha(paperCube, 16)].Moves))
	}
	long := gridOf(cells, 80)
	cpu := long[2].moves[withAlpha(paperCube, 8)]
	if moving, _ := movingCalls(cpu); moving == len(cpu.calls) {
		l.add("cpu 80/8 moves", "each", "each")
	} else {
		l.add("cpu 80/8 moves", "each", fmt.Sprintf("%d of %d", moving, len(cpu.calls)))
	}
	cube, hull := 0, 0
	for _, c := range long {
		cube, hull = cube+c.moves[withAlpha(paperCube, 8)].Moves, hull+c.moves[withAlpha(paperHull, 8)].Moves
	}
	l.of("Cube §5.2", "hull", long[0], withAlpha(paperHull, 8))
	l.add("80/8 moves fewer", "yes", yes(hull < cube))
	var to []string
	for _, set := range l.cell.config.Platform.Sets {
		if n, _ := l.onSet(set.Name); n > 0 {
			to = append(to, set.Name)
		}
	}
	l.add("ascending 80/8 ends on", "suno,chicon", strings.Join(to, ","))
}

// gridCompared are Sections 5.3, 5.4 and 7.
func (l *claims) gridCompared(cells []*cell) {
	most := 0.0
	for _, x := range gridHeuristics {
		best := 0.0
		for m := range gridPublished {
			for _, alpha := range gridAlphas {
				best = max(best, gridMean(cells[m*len(gridSteps):(m+1)*len(gridSteps)], x.spec, alpha))
			}
		}
		most = max(most, best)
		l.source, l.run = "Cube §5.3", x.name
		l.add("largest mean gain", x.most, as(x.most, best))
		_, last := movingCalls(gridOf(cells, 80)[3].moves[withAlpha(x.spec, 8)])
		l.add("80/8 last move", "4", fmt.Sprint(last))
	}
	l.run = "cube"
	l.add("ascending gain", "25%", as("25%", gridMean(cells[:len(gridSteps)], paperCube, 4)))
	l.source, l.run = "Cube §5.4, §7", ""
	order := []string{paperCube, paperHull, paperPart, paperOne}
	slices.SortStableFunc(order, func(a, b string) int {
		return cmp.Compare(gridMean(cells, b, gridAlphas...), gridMean(cells, a, gridAlphas...))
	})
	l.add("worst heuristic", "one", nameOf(order[3]))
	l.add("best heuristics", "cube,hull", nameOf(order[0])+","+nameOf(order[1]))
	l.add("gains above 40%", "yes", yes(most > 0.4))
}

// gridWorst is the mapping whose runs take longest with a strategy.
func gridWorst(cells []*cell, spec string) (worst int) {
	most := 0.0
	for m := range gridPublished {
		sum := 0.0
		for _, c := range cells[m*len(gridSteps) : (m+1)*len(gridSteps)] {
			for _, alpha := range gridAlphas {
				sum += c.moves[withAlpha(spec, alpha)].Time
			}
		}
		if sum > most {
			worst, most = m, sum
		}
	}
	return worst
}

// movingCalls is how many calls move something, and the number of the last that does.
func movingCalls(t *trial) (n, last int) {
	for i := range t.calls {
		if len(t.calls[i].Moves) > 0 {
			n, last = n+1, t.calls[i].Call
		}
	}
	return n, last
}

// nameOf is a strategy without its parameters.
func nameOf(spec string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(spec, "mig"), ",")
	return name
}
