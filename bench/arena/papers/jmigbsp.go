package papers

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

// The dissertation on jMigBSP ran programs on real clusters. What can be repeated is how
// their times follow from each other: with processes moved, and where.

// The strategies of Tables 16, 17 and 18.
const (
	fractalOne   = "one,guard=0,alpha=4"
	fractalRare  = "one,guard=0,alpha=8"
	fractalParts = "percent,guard=0,x=0.3,alpha=4"
)

var fractalSpecs = []string{fractalOne, fractalRare, fractalParts}

// fractalPublished are the times of scenario i, and of ii and iii by strategy.
var fractalPublished = []struct {
	p       int
	i       float64
	ii, iii [3]float64
}{
	{8, 3518.09, [3]float64{3712.43, 3610.87, 3712.43}, [3]float64{3783.81, 3651.23, 3814.78}},
	{16, 1969.05, [3]float64{2214.36, 2073.30, 2214.36}, [3]float64{2299.73, 2118.44, 1225.30}},
	{32, 1048.23, [3]float64{1303.33, 1175.96, 1303.33}, [3]float64{1414.56, 1226.32, 612.64}},
}

// What the dissertation does not say. Work and the constant part follow from the three times
// of the plain program; a process's state from cluster C, which is the fastest, not being
// worth a move over its 10 Mb/s with 8 and 16 processes.
const (
	fractalWork  = 26_400 * 0.4e9 // operations of all processes together
	fractalOver  = 215.0          // seconds of a run that do not depend on the processes
	fractalState = 2e9            // bytes of all processes together
	fractalImage = 5e5            // bytes that go around the ring
)

// pipeline is a ring of p processes through which the parts of an image pass: p supersteps.
type pipeline struct{ sim.Ring }

func newPipeline(p int) *pipeline {
	n := float64(p)
	return &pipeline{sim.Ring{Size: p, Length: p, Flops: fractalWork / n / n, Bytes: fractalImage / n, Kept: fractalState / n}}
}

// Fill implements sim.Workload.
func (w *pipeline) Fill(step int, s *sim.Step) error {
	s.Over = fractalOver / float64(w.Length)
	return w.Ring.Fill(step, s)
}

// fractalMapping is Figure 29: nodes of A, then of B, then of C, then of A again.
func fractalMapping(p int) []string {
	var where []string
	for _, nodes := range []struct {
		cluster string
		count   int
	}{{"a", 9}, {"b", 9}, {"c", 10}, {"a", 9}} {
		for i := range nodes.count {
			where = append(where, fmt.Sprint(nodes.cluster, i+1))
		}
	}
	return where[:p]
}

func fractalCells(examples string) (cells []*cell, err error) {
	platform, err := sim.Read(filepath.Join(examples, "jmigbsp.xml"))
	if err != nil {
		return nil, err
	}
	for _, r := range fractalPublished {
		where, err := platform.Named(fractalMapping(r.p))
		if err != nil {
			return nil, err
		}
		cells = append(cells, &cell{
			name: fmt.Sprintf("compression with %d processes", r.p), specs: append(slices.Clone(fractalSpecs), luOwn), alphas: []int{4},
			config: sim.Config{Platform: platform, Where: where, Workload: newPipeline(r.p)},
		})
	}
	return cells, nil
}

// fractalGains are the gains of Table 18.
func fractalGains(cells []*cell) (rows [][]string) {
	for k, c := range cells {
		r := fractalPublished[k]
		one := func(x float64) []float64 { return []float64{x} }
		rows = append(rows, gainsRow(fmt.Sprintf("jMigBSP %d", r.p), one(c.off.Time/r.i-1), one(1-r.iii[2]/r.i),
			one(c.saved(fractalParts)), one(c.saved(luOwn)), one(c.possible(4))))
	}
	return rows
}

func jmigbspClaims(ctx context.Context, examples string, cells []*cell) ([]claim, error) {
	l := new(claims)
	of := func(table, k int) {
		l.of(fmt.Sprintf("jMigBSP Table %d", table), fmt.Sprint(fractalPublished[k].p), cells[k], fractalSpecs[table-16])
	}
	if err := l.transforms(ctx, examples); err != nil {
		return nil, err
	}
	of(16, 0)
	l.cost("5.52%", cells[0].overhead(fractalOne))
	l.moves(4, "1>B")
	l.nodes(4, "1>b3")
	l.later(4)
	of(16, 1)
	l.add("moves", "1,3-4,7>B", l.sets(l.every()))
	l.nodes(0, "1>b8;7>b2;3>b1;4>b3")
	of(16, 2)
	l.add("moves", "8", fmt.Sprint(l.trial.Moves))
	left, _ := l.onSet("A")
	l.add("left on A", "5", fmt.Sprint(left))
	l.add("moves to C", "yes", yes(strings.Contains(l.sets(l.every()), ">C")))
	l.run = ""
	l.add("gains", "0", fmt.Sprint(gained(cells, fractalOne)))
	of(17, 0)
	l.cost("2.63%", cells[0].overhead(fractalRare))
	l.run = ""
	l.add("gains", "0", fmt.Sprint(gained(cells, fractalRare)))
	of(18, 0)
	l.add("loses", "yes", yes(cells[0].saved(fractalParts) < 0))
	of(18, 1)
	l.moves(4, "1-3,5,7>B")
	l.nodes(4, "1>b9;5>b3;2>b1;7>b8;3>b6")
	l.moves(8, "4-6,8>B")
	l.nodes(8, "4>b2;6>b5;5>b7;8>b4")
	l.later(8)
	l.add("speedup", "60.69%", as("60.69%", l.cell.off.Time/l.trial.Time-1))
	of(18, 2)
	l.moves(4, "1,4-5,7,9,29-32>B;2>C")
	l.nodes(4, "32>b2;29>b1;30>b7;31>b4;1>b9;4>b8;7>b6;5>b3;9>b5;2>c8")
	l.moves(8, "3,6,8>C")
	l.nodes(8, "6>c4;8>c2;3>c7")
	l.pace()
	l.add("speedup", "71.10%", as("71.10%", l.cell.off.Time/l.trial.Time-1))

	l.fractalTimes(cells)
	return l.all, nil
}

// pace is the statement of Section 5.3.2 on the calls of 32 processes.
func (l *claims) pace() {
	unbalanced, growing := 0, true
	var widths []string
	for i := range l.trial.calls {
		d := &l.trial.calls[i]
		if d.Step > 8 && !d.Balanced {
			unbalanced++
		}
		if d.Step > 8 && d.After.Alpha <= d.Before.Alpha {
			growing = false
		}
		if d.After.D != d.Before.D {
			widths = append(widths, fmt.Sprintf("%.4g@%d", d.After.D, d.Step))
		}
	}
	l.add("balanced >9", "yes", yes(unbalanced == 0))
	l.add("alpha grows >9", "yes", yes(growing))
	l.add("D", "0.75@17;1.125@30", noneOr(widths))
}

// fractalTimes are Tables 16 to 18.
func (l *claims) fractalTimes(cells []*cell) {
	for table := range fractalSpecs {
		var i, off, ii, decides, iii, moves []float64
		for k, r := range fractalPublished {
			c, spec := cells[k], fractalSpecs[table]
			i, off = append(i, r.i), append(off, c.off.Time)
			ii, decides = append(ii, r.ii[table]), append(decides, c.decides[spec].Time)
			iii, moves = append(iii, r.iii[table]), append(moves, c.moves[spec].Time)
		}
		l.source = fmt.Sprintf("jMigBSP Table %d", table+16)
		if table == 0 {
			l.times("i", i, off)
		}
		l.times("ii", ii, decides)
		l.times("iii", iii, moves)
	}
}

// every is the moves of all calls.
func (l *claims) every() (all []rebalancer.Move) {
	for i := range l.trial.calls {
		all = append(all, l.trial.calls[i].Moves...)
	}
	return all
}

// fftPublished are times of eight processes on free nodes (Table 9), and with four of them
// on loaded nodes: without moves, and with two and four that move to free ones (Table 11).
var fftPublished = []struct {
	log               int
	free              float64
	loaded, two, four float64
}{
	{22, 2.8913, 6.3219, 7.1145, 4.9214}, {23, 5.8341, 12.6812, 13.4121, 9.7943},
	{24, 13.7827, 30.1097, 30.8742, 23.2524}, {25, 27.3284, 59.8124, 60.5310, 46.2210},
}

const (
	fftProcs   = 8
	fftLibrary = 48.2449 // seconds of BSPlib with 2^25 elements on the loaded nodes
)

// transform is a Fourier transform in two supersteps with a permutation between them, after
// which some processes move.
type transform struct {
	elements float64
	flops    float64 // of a process, in both supersteps
	moves    []sim.Move
}

func (t *transform) Processes() int { return fftProcs }
func (t *transform) Steps() int     { return 2 }

// State implements sim.Workload: elements are of 8 bytes, as the published times of moves allow.
func (t *transform) State(int) float64 { return 8 * t.elements / fftProcs }

func (t *transform) Fill(step int, s *sim.Step) error {
	for pid := range s.Work {
		s.Work[pid] = t.flops / 2
		for to := range fftProcs {
			if step == 0 && to != pid {
				s.Messages = append(s.Messages, sim.Message{From: int32(pid), To: int32(to), Bytes: t.State(pid) / fftProcs})
			}
		}
	}
	if step == 0 {
		s.Moves = append(s.Moves, t.moves...)
	}
	return nil
}

// transforms adds the claims on Table 11. How fast nodes are follows from the times on free ones, and how
// loaded the others are from those without moves; those with moves are simulated.
func (l *claims) transforms(ctx context.Context, examples string) error {
	platform, err := sim.Read(filepath.Join(examples, "jmigbsp.xml"))
	if err != nil {
		return err
	}
	// Nodes of one cluster: as fast, and with nothing slow between them.
	equal := *platform
	equal.Hosts, equal.Links = slices.Clone(platform.Hosts), slices.Clone(platform.Links)
	const speed = 1e9
	for i := range equal.Hosts {
		equal.Hosts[i].Speed = speed
	}
	for i := range equal.Links {
		if strings.HasPrefix(equal.Links[i].Name, "A-B") {
			equal.Links[i].Unlimited = true
		}
	}
	where, err := equal.Named([]string{"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"})
	if err != nil {
		return err
	}
	spare, err := equal.Named([]string{"b1", "b2", "b3", "b4"})
	if err != nil {
		return err
	}
	simulate := func(t *transform, moves int) (float64, error) {
		run := *t
		for i := range moves {
			run.moves = append(run.moves, sim.Move{Pid: i, Host: int(spare[i]), Bytes: t.State(i)})
		}
		r, err := sim.Run(ctx, &sim.Config{Platform: &equal, Where: where, Workload: &run}, sim.Report{})
		if err != nil {
			return 0, err
		}
		return r.Time, nil
	}
	var published, here [3][]float64
	gains := [3]int{}
	for _, r := range fftPublished {
		w := &transform{elements: float64(int(1) << r.log)}
		exchange, err := simulate(w, 0)
		if err != nil {
			return err
		}
		w.flops = speed * (r.free - exchange)
		for i := range 4 {
			equal.Hosts[where[i]].Share = sim.Shares{sim.NewProfile((r.free - exchange) / (r.loaded - exchange))}
		}
		var times [3]float64
		for k, moves := range []int{0, 2, 4} {
			if times[k], err = simulate(w, moves); err != nil {
				return err
			}
		}
		for i := range 4 {
			equal.Hosts[where[i]].Share = nil
		}
		for k, x := range []float64{r.loaded, r.two, r.four} {
			published[k], here[k] = append(published[k], x), append(here[k], times[k])
			if times[k] < times[0] {
				gains[k]++
			}
		}
	}
	l.source = "jMigBSP Table 11"
	l.add("FFT, 2 moves gain", "0", fmt.Sprint(gains[1]))
	l.add("FFT, 4 moves gain", "4", fmt.Sprint(gains[2]))
	l.add("2^25 before BSPlib", "4.19%", as("4.19%", 1-here[2][3]/fftLibrary))
	l.times("iii, 2 moves", published[1], here[1])
	l.times("iii, 4 moves", published[2], here[2])
	return nil
}
