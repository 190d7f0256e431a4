package papers

import (
	"context"
	"fmt"
	"path/filepath"

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

func dpCells(examples string) (cells []*cell, err error) {
	platform, err := sim.Read(filepath.Join(examples, "clusters-of-clusters.xml"))
	if err != nil {
		return nil, err
	}
	for _, r := range dpPublished {
		where, err := platform.Place(r.n, "contiguous")
		if err != nil {
			return nil, err
		}
		c := &cell{name: fmt.Sprintf("wavefronts of %d processes", r.n), alphas: dpAlphas, config: sim.Config{
			Platform: platform, Where: where,
			Workload: &sim.Wavefront{Size: r.n, First: 1e6, Last: 1e9, Bytes: 5e6 / float64(r.n), Kept: 7e5},
		}}
		for _, alpha := range dpAlphas {
			c.specs = append(c.specs, withAlpha(paperPercent, alpha), withAlpha(ours, alpha))
		}
		cells = append(cells, c)
	}
	return cells, nil
}

// dpGains are means over the alphas.
func dpGains(cells []*cell) (rows [][]string) {
	for k, r := range dpPublished {
		c := cells[k]
		var published, theirs, own, most []float64
		for a, alpha := range dpAlphas {
			published, most = append(published, 1-r.iii[a]/r.i), append(most, c.possible(alpha))
			theirs, own = append(theirs, c.saved(withAlpha(paperPercent, alpha))), append(own, c.saved(withAlpha(ours, alpha)))
		}
		rows = append(rows, gainsRow(fmt.Sprintf("DP %d", r.n), []float64{c.off.Time/r.i - 1}, published, theirs, own, most))
	}
	return rows
}

func dpClaims(_ context.Context, _ string, cells []*cell) ([]claim, error) {
	l, c := new(claims), dpRuns(cells)
	c.small(l)
	c.middle(l)
	c.large(l)
	c.table(l)
	return l.all, nil
}

// dpRuns are the runs of this paper, counted by their place in its table.
type dpRuns []*cell

// begin has the claims that follow be of a run.
func (c dpRuns) begin(l *claims, k, alpha int) {
	l.of("DP §5", fmt.Sprintf("%d/%d", dpPublished[k].n, alpha), c[k], withAlpha(paperPercent, alpha))
}

func (c dpRuns) saved(k, alpha int) float64 { return c[k].saved(withAlpha(paperPercent, alpha)) }

func (c dpRuns) costs(k, alpha int) float64 {
	return c[k].overhead(withAlpha(paperPercent, alpha))
}

// small are the matrices of 10 and 25 columns.
func (c dpRuns) small(l *claims) {
	c.begin(l, 0, 2)
	l.calls("2,6,14")
	l.none(2, 6)
	l.moves(14, "5-10>A")
	l.nodes(14, "5>a1;6>a2;7>a3;8>a4;9>a5;10>a6")
	l.cost("8%", c.costs(0, 2))
	c.begin(l, 0, 4)
	l.calls("4,12")
	l.none(4)
	l.moves(12, "3-10>A")
	l.add("faster than 10/2", "yes", yes(c.saved(0, 4) > c.saved(0, 2)))

	c.begin(l, 1, 2)
	l.calls("2,6,14,30")
	l.none(2, 6)
	l.moves(14, "1-12>A")
	l.moves(30, "21-25>A")
	l.gain("11%", c.saved(1, 2))
	c.begin(l, 1, 8)
	l.calls("8,24")
	l.moves(8, "1>A")
	l.nodes(8, "1>a1")
	l.moves(24, "21-23>A")
	l.nodes(24, "21>a2;22>a3;23>a4")
	left, _ := l.onSet("Corisco")
	l.add("left on C", "2", fmt.Sprint(left))
	l.add("loses", "yes", yes(c.saved(1, 8) < 0))
	c.begin(l, 1, 16)
	l.calls("16,48")
	l.moves(48, "24-25>A")
}

// middle is that of 50.
func (c dpRuns) middle(l *claims) {
	c.begin(l, 2, 2)
	l.calls("2,6,14,30,62")
	l.none(2, 6, 14)
	l.moves(30, "21-29>A")
	l.moves(62, "37-42>A")
	l.cost("3%", c.costs(2, 2))
	c.begin(l, 2, 4)
	l.moves(60, "37-42>A")
	l.gain("9%", c.saved(2, 4))
	c.begin(l, 2, 8)
	l.calls("8,24,56")
	l.none(8)
	l.moves(24, "21-23>A")
	l.nodes(24, "21>a1;22>a2;23>a3")
	l.moves(56, "37-42>A")
	left, _ := l.onSet("Frontal")
	l.add("left on F", "0", fmt.Sprint(left))
	l.run = "50"
	l.add("alphas that gain", "4", dpGaining(c[2]))
}

// large are those of 100 and 200.
func (c dpRuns) large(l *claims) {
	c.begin(l, 3, 2)
	l.calls("2,6,14,30,62,126")
	l.none(2, 6, 14)
	l.moves(30, "21-29>A")
	l.moves(62, "37-42>A")
	if d := l.at(126); d != nil {
		l.add("@126 moves", "5", fmt.Sprint(len(d.Moves)))
	}
	l.candidates(126, "30-36")
	processes, most := l.onSet("Aquario")
	l.add("on A, per node", "20,1", fmt.Sprintf("%d,%d", processes, most))
	c.begin(l, 3, 16)
	l.calls("16,48,112")
	l.moves(16, "1-11>A")
	l.moves(48, "37-42>A")
	l.candidates(112, "21-36")
	l.moves(112, "34-36>A")
	l.nodes(112, "34>a18;35>a19;36>a20")

	c.begin(l, 4, 2)
	l.calls("2,6,14,30,62,126,254,388")
	l.none(2, 6, 14)
	l.moves(30, "21-31>A")
	l.moves(62, "37-42>A")
	l.candidates(126, "30-36")
	l.moves(126, "31-36>A")
	l.none(254)
	l.moves(388, "189-200>A")
	l.run = "200"
	longest := 0.0
	for _, alpha := range dpAlphas {
		longest = max(longest, c.costs(4, alpha))
	}
	l.add("ii below 2%", "yes", yes(longest < 0.02))
}

// table is Table 1, and the paper's statements on all of it.
func (c dpRuns) table(l *claims) {
	l.source, l.run = "DP §5, abstract", ""
	falls, best := true, 0.0
	for k := range c {
		for a, alpha := range dpAlphas {
			falls = falls && (a == 0 || c.costs(k, alpha) <= c.costs(k, dpAlphas[a-1]))
			best = max(best, c.saved(k, alpha))
		}
	}
	l.add("ii falls with alpha", "yes", yes(falls))
	l.add("gains above 10%", "yes", yes(best > 0.1))

	l.source = "DP Table 1"
	var i, offs, ii, decides, iii, moves []float64
	for k, r := range dpPublished {
		i, offs = append(i, r.i), append(offs, c[k].off.Time)
		for a, alpha := range dpAlphas {
			spec := withAlpha(paperPercent, alpha)
			ii, decides = append(ii, r.ii[a]), append(decides, c[k].decides[spec].Time)
			iii, moves = append(iii, r.iii[a]), append(moves, c[k].moves[spec].Time)
		}
	}
	l.times("i", i, offs)
	l.times("ii", ii, decides)
	l.times("iii", iii, moves)
}

// dpGaining is with how many alphas the papers' heuristic gains.
func dpGaining(c *cell) string {
	n := 0
	for _, alpha := range dpAlphas {
		n += gained([]*cell{c}, withAlpha(paperPercent, alpha))
	}
	return fmt.Sprint(n)
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
