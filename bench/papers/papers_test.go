package main

import (
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

// small are settings that take seconds.
func small(t *testing.T) *settings {
	return &settings{examples: "../../examples", tries: 10, order: 500, plots: t.TempDir()}
}

// part runs a part and looks at what it says of itself.
func part(t *testing.T, run func(ctx context.Context, s *settings, session *frame.Session) error, picture string, says ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("in short mode")
	}
	s, text := small(t), new(strings.Builder)
	if err := run(t.Context(), s, frame.NewSession("", text)); err != nil {
		t.Fatal(err)
	}
	for _, want := range says {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	made, err := os.ReadFile(filepath.Join(s.plots, picture))
	if err != nil || !strings.HasSuffix(string(made), "</svg>\n") || strings.Contains(string(made), "NaN") {
		t.Errorf("%s: %v, %.100s", picture, err, made)
	}
}

func TestLU(t *testing.T) {
	part(t, luPart, "papers-lu.svg", "Scenario i is within 4.7% of", "saves more than the best published strategy in every cell", "nothing is worth moving")
}

// Also where alpha is 16 and the run has 19 supersteps: they grow so much that the guard
// asks sooner.
func TestWavefronts(t *testing.T) {
	part(t, dpPart, "papers-dp.svg", "Scenario i is within 1.5% of", "saves more than the best published strategy in every cell",
		"processes 1 to 12 to Aquario at superstep 14             yes")
}

func TestGrid(t *testing.T) {
	part(t, gridPart, "papers-grid.svg", "Scenario i is within 3.5% of", "saves more than the best published strategy in every cell")
}

// Cells are simulated at the same time, each by itself.
func TestRunAll(t *testing.T) {
	var first *cell
	for range 2 {
		c := &cell{name: "ring", specs: []string{ours, paperCube}, alphas: []int{4}, tries: 5}
		platform, err := sim.Read("../../examples/grid5000.xml")
		if err != nil {
			t.Fatal(err)
		}
		c.config = sim.Config{Platform: platform, Where: make([]int32, 8), Workload: &sim.Ring{Size: 8, Length: 20, Flops: 1e9, Bytes: 1e5, Kept: 1e5}}
		other := *c
		if err := runAll(t.Context(), frame.NewSession("", io.Discard), "test", []*cell{c, &other}); err != nil {
			t.Fatal(err)
		}
		for _, one := range []*cell{c, &other} {
			if first == nil {
				first = one
			}
			if one.saved(ours) <= 0 || one.saved(ours) > one.possible(4) || one.saved(ours) != first.saved(ours) || one.static != first.static {
				t.Errorf("%g saved, %g possible, the first time %g", one.saved(ours), one.possible(4), first.saved(ours))
			}
		}
	}
}

// A failure ends all runs.
func TestRunAllFails(t *testing.T) {
	c := &cell{name: "ring", specs: []string{"nothing"}, config: sim.Config{Platform: new(sim.Platform), Workload: new(sim.Ring)}}
	if err := runAll(t.Context(), frame.NewSession("", io.Discard), "test", []*cell{c}); err == nil || !strings.Contains(err.Error(), "there is no strategy") {
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

func TestWrongUse(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-only qr", "-only qr: expected lu, dp, grid, jmigbsp, readings"},
		{"-tries -1", "-tries -1: expected a number from 0 on"},
		{"more", `unexpected argument "more"`},
	} {
		var said strings.Builder
		if code := program.Run(strings.Fields(c.args), io.Discard, &said); code != 2 || !strings.Contains(said.String(), c.want) {
			t.Errorf("%s: code %d, %s", c.args, code, said.String())
		}
	}
}

// A Fourier transform takes as long as published when four processes leave loaded nodes,
// and two that move do not help.
func TestJmigbsp(t *testing.T) {
	if testing.Short() {
		t.Skip("in short mode")
	}
	s, text := small(t), new(strings.Builder)
	if err := jmigbspPart(t.Context(), s, frame.NewSession("", text)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"for 4 of 4 sizes", "46.22    46.26   +0.1%", "one process (p1) to B at superstep 4  yes", "3518.09  3515.04   -0.1%"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// The tables have one of the readings that are compared.
func TestReadings(t *testing.T) {
	if !slices.Contains(readings, paperReading) {
		t.Errorf("%s is not among %v", paperReading, readings)
	}
	for _, r := range readings {
		if _, err := rebalancer.Parse(reading(r)); err != nil {
			t.Error(err)
		}
	}
}
