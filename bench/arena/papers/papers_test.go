package papers

import (
	"context"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

// The smallest experiment of each kind: its cells, and claims on them.
func TestClaims(t *testing.T) {
	if testing.Short() {
		t.Skip("in short mode")
	}
	var text strings.Builder
	must.Do(t, repeat(t.Context(), frame.NewSession("", &text), "../../../examples", []experiment{experiments[0], experiments[3]}))
	said := strings.Join(strings.Fields(text.String()), " ")
	must.Have(t, said,
		"10/2 calls 2,6,14 yes", "25/2@14 1-12>A yes",
		"25/8@8 1>A 1-6>A", // that the one is among others is not enough
		"FFT, 4 moves gain 4 yes", "statements come out exactly",
	)
	// auto finds the same as the papers' heuristic: nearby clusters, not the ones behind slow links.
	for _, line := range strings.Split(text.String(), "\n") {
		if f := strings.Fields(line); len(f) == 7 && f[0] == "jMigBSP" && f[5] < f[4] {
			t.Errorf("auto saves less than percent: %s", line)
		}
	}
}

// Sets of processes are compared separately, regardless of other moves in the call.
func TestMovesAreComparedExactly(t *testing.T) {
	platform := &sim.Platform{
		Sets:  []sim.Set{{Name: "Corisco"}, {Name: "Aquario"}},
		Hosts: []sim.Host{{Name: "C1"}, {Name: "A1", Set: 1}, {Name: "A2", Set: 1}},
	}
	moves := func(pids ...int) (all []rebalancer.Move) {
		for _, pid := range pids {
			all = append(all, rebalancer.Move{Pid: pid - 1, To: 1})
		}
		return all
	}
	l := &claims{cell: &cell{config: sim.Config{Platform: platform}}, trial: &trial{calls: []rebalancer.Decision{
		{Step: 2}, {Step: 8, Moves: moves(1, 2, 3, 7)}, {Step: 20, Moves: moves(4)},
	}}}
	l.moves(8, "1>A")
	l.moves(8, "1-3,7>A")
	l.moves(9, "4>A")
	l.none(2, 8)
	l.later(8)
	l.nodes(20, "4>a1")
	l.calls("2,8..")
	l.calls("2,8")
	l.movesMany(8, "4>A")
	for i, want := range []string{"1-3,7>A", "1-3,7>A", "4>A@20", "1-3,7>A@8", "4>A@20", "4>a1", "2,8..", "2,8,20", "4>A"} {
		if l.all[i].here != want {
			t.Errorf("%s: %s, want %s", l.all[i].about, l.all[i].here, want)
		}
	}
}

// Cells are simulated at the same time, each by itself.
func TestRunAll(t *testing.T) {
	platform := must.Get(sim.Read("../../../examples/grid5000.xml"))(t)
	c := &cell{name: "ring", specs: []string{ours, paperCube}, alphas: []int{2, 4}}
	c.config = sim.Config{Platform: platform, Where: make([]int32, 8), Workload: &sim.Ring{Size: 8, Length: 20, Flops: 1e9, Bytes: 1e5, Kept: 1e5}}
	other := *c
	must.Do(t, runAll(t.Context(), frame.NewSession("", io.Discard), []*cell{c, &other}))
	for spec, first := range map[string]int{ours: 2, paperCube: 4} { // superstep of the first call
		if c.saved(spec) <= 0 || c.saved(spec) > c.possible(first) || c.saved(spec) != other.saved(spec) {
			t.Errorf("%s: %g and %g saved, %g possible", spec, c.saved(spec), other.saved(spec), c.possible(first))
		}
	}
}

// A failure ends all runs.
func TestRunAllFails(t *testing.T) {
	c := &cell{name: "ring", specs: []string{"nothing"}, config: sim.Config{Platform: new(sim.Platform), Workload: new(sim.Ring)}}
	if err := runAll(t.Context(), frame.NewSession("", io.Discard), []*cell{c}); err == nil || !strings.Contains(err.Error(), "there is no strategy") {
		t.Errorf("%v", err)
	}
	broken := experiment{cells: func(string) ([]*cell, error) { return nil, context.Canceled }}
	if err := repeat(t.Context(), frame.NewSession("", io.Discard), "", []experiment{broken}); err != context.Canceled {
		t.Errorf("%v", err)
	}
}

// The figures that the tables rest on have no gaps.
func TestGridAsPublished(t *testing.T) {
	for k := range gridPublished {
		for _, times := range [][5]gridTime{gridPublished[k].cube, gridPublished[k].hull} {
			for i, line := range times {
				if perStep := line.i / float64(gridSteps[i]); math.Abs(perStep-times[4].i/100) > 0.02 {
					t.Errorf("%s, %d supersteps: %g s each", gridPublished[k].mapping, gridSteps[i], perStep)
				}
			}
		}
		counts := make(map[string]int)
		for _, host := range gridMapping(gridPublished[k].mapping) {
			name, _, _ := strings.Cut(host, "-")
			counts[name]++
		}
		if counts["capricorne"]+counts["suno"] != 60 || counts["capricorne"] != 37 && counts["capricorne"] != 42 {
			t.Errorf("%s: %v", gridPublished[k].mapping, counts)
		}
	}
}
