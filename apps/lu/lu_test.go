package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/apps/internal/numbers"
	"github.com/migbsp/migbsp/apps/lu/dense"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// factored runs the factorisation and returns the whole matrix and the swaps.
func factored(t *testing.T, p parameters, g grid, ranks int) ([]float64, []int) {
	t.Helper()
	return factoredWith(t, p, g, bsplib.Config{Ranks: ranks})
}

func factoredWith(t *testing.T, p parameters, g grid, cfg bsplib.Config) ([]float64, []int) {
	t.Helper()
	return factoredFrom(t, p, g, cfg, p.element)
}

// factoredFrom is factored for a matrix with the given elements.
func factoredFrom(t *testing.T, p parameters, g grid, cfg bsplib.Config, element func(i, j int) float64) ([]float64, []int) {
	t.Helper()
	cfg.Procs = g.rows * g.cols
	whole := make([]float64, p.n*p.n)
	swaps := make([]int, p.n)
	must.Do(t, bsplib.Run(cfg, func(b *bsplib.Proc, s *state) error {
		if b.Fresh() {
			s.setUp(b, p, g)
			s.A.fill(element)
			b.Sync()
		}
		s.factor(b, p)
		for li := range s.A.rows() {
			for lj, a := range s.A.row(li, 0) { // each process writes elements of its own
				whole[s.A.Rows.global(s.A.Row, li)*p.n+s.A.Cols.global(s.A.Col, lj)] = a
			}
		}
		if b.Pid() == 0 {
			copy(swaps, s.Swaps)
		}
		if r := s.A.residual(b, s.Swaps, p.seed, element); !(r < threshold) {
			return fmt.Errorf("residual %g", r)
		}
		return nil
	}))
	return whole, swaps
}

// ways returns the values of -panels that apply to a grid.
func ways(g grid) []string {
	if g.rows == 1 {
		return []string{panelsAuto}
	}
	return []string{panelsAuto, panelsSpread, panelsGathered}
}

var grids = []grid{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {3, 2}, {2, 3}, {4, 4}}

func TestPivotedIsTheSequentialFactorisationBitForBit(t *testing.T) {
	for _, n := range []int{1, 2, 7, 16, 33, 100} {
		for _, block := range []int{1, 3, 16, 40} {
			p := parameters{n: n, block: min(block, n), pivot: true, seed: uint64(n)}
			want := make([]float64, n*n)
			for i := range want {
				want[i] = p.element(i/n, i%n)
			}
			pivots := make([]int, n)
			dense.Getrf(n, n, want, n, pivots)
			for _, g := range grids {
				for _, p.panels = range ways(g) {
					name := fmt.Sprintf("n%d/block%d/%dx%d/%s", n, p.block, g.rows, g.cols, p.panels)
					t.Run(name, func(t *testing.T) {
						got, swaps := factored(t, p, g, 2)
						for i := range want {
							if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
								t.Fatalf("element (%d,%d) is %v, want %v", i/n, i%n, got[i], want[i])
							}
						}
						if fmt.Sprint(swaps) != fmt.Sprint(pivots) {
							t.Fatalf("swaps %v, want %v", swaps, pivots)
						}
					})
				}
			}
		}
	}
}

func TestUnpivotedDoesNotDependOnGridAndBlock(t *testing.T) {
	for _, n := range []int{1, 10, 37} {
		var want []float64
		for _, block := range []int{1, 4} {
			for _, g := range grids {
				p := parameters{n: n, block: min(block, n), seed: 5}
				got, _ := factored(t, p, g, 3)
				if want == nil {
					want = got
				}
				for i := range want {
					if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
						t.Fatalf("n=%d block=%d %dx%d: element (%d,%d) is %v, want %v", n, block, g.rows, g.cols, i/n, i%n, got[i], want[i])
					}
				}
			}
		}
	}
}

// The textbook algorithm (Righi et al., section 4) has 2n+1 supersteps, after the superstep that
// registers the areas.
func TestUnpivotedHasTheTextbooksSupersteps(t *testing.T) {
	const n = 20
	must.Do(t, bsplib.Run(bsplib.Config{Procs: 4}, func(b *bsplib.Proc, s *state) error {
		p := parameters{n: n, block: 1}
		s.setUp(b, p, grid{2, 2})
		b.Sync()
		before := b.Superstep()
		s.factor(b, p)
		if got, want := b.Superstep()-before, 2*n+1; got != want {
			return fmt.Errorf("%d supersteps, want %d", got, want)
		}
		return nil
	}))
}

// Where the block columns are gathered, none takes more than three supersteps.
func TestGatheredPanelsHaveThreeSupersteps(t *testing.T) {
	const n, block = 40, 8
	for _, g := range []grid{{2, 1}, {2, 2}, {3, 4}, {5, 5}} {
		err := bsplib.Run(bsplib.Config{Procs: g.rows * g.cols}, func(b *bsplib.Proc, s *state) error {
			p := parameters{n: n, block: block, pivot: true, panels: panelsGathered}
			s.setUp(b, p, g)
			b.Sync()
			before := b.Superstep()
			s.factor(b, p)
			arranging := (s.A.Cols.count(0) + arrangedWidth - 1) / arrangedWidth
			if got, want := b.Superstep()-before, 1+3*n/block+arranging; got != want {
				return fmt.Errorf("%d x %d: %d supersteps, want %d", g.rows, g.cols, got, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestTrialDecides(t *testing.T) {
	const us = time.Microsecond
	for _, c := range []struct {
		name      string
		trial     trial
		width     int
		ranks     int
		factoring time.Duration
		want      int
	}{
		{"slow lines", trial{4000 * us, 20000 * us}, 64, 8, 300 * us, 1000},
		{"fast lines", trial{1 * us, 101 * us}, 64, 4, 300 * us, 148}, // 63 of 200 + 225
		{"one rank", trial{1 * us, 51 * us}, 64, 1, 300 * us, 630},
		{"nothing is free", trial{0, 100 * us}, 64, 4, 300 * us, 0},
		{"both are", trial{}, 64, 1, 0, 1000},
		{"gathering was faster than agreeing", trial{10 * us, 5 * us}, 64, 1, 300 * us, 1000},
		{"narrow blocks", trial{10 * us, 60 * us}, 2, 1, 0, 100},
	} {
		if got := c.trial.rows(1000, c.width, c.ranks, c.factoring); got != c.want {
			t.Errorf("%s: gathered from %d rows, want %d", c.name, got, c.want)
		}
	}
}

// Over links of 50 ms all block columns are gathered, regardless of the machine's load.
func TestAutoGathersOverSlowLines(t *testing.T) {
	platform := must.Get(hostfile.Parse("slow.hosts", strings.NewReader(`
#@set near speed=1 rate=1Gb/s latency=50us
a1 slots=1
#@set far speed=1 rate=1Gb/s latency=50us
b1 slots=1
#@link near far rate=1Gb/s latency=50ms
`)))(t)
	var panels string
	must.Do(t, bsplib.Run(bsplib.Config{Procs: 4, Platform: platform}, func(b *bsplib.Proc, s *state) error {
		p, g := parameters{n: 64, block: 8, pivot: true, panels: panelsAuto}, grid{2, 2}
		if b.Fresh() {
			s.setUp(b, p, g)
			b.Sync()
		}
		s.factor(b, p)
		if b.Pid() == 0 {
			panels = s.panels()
		}
		return nil
	}))
	if panels != panelsGathered {
		t.Errorf("panels are %s, want %s", panels, panelsGathered)
	}
}

// Processes with few columns and processes with more arrange their last columns together.
func TestArrangingColumnsThatOnlySomeHave(t *testing.T) {
	p := parameters{n: 200, block: 5, pivot: true, seed: 7, panels: panelsSpread}
	factored(t, p, grid{2, 6}, 2)
}

func TestSingularMatrixIsNamed(t *testing.T) {
	for _, panels := range []string{panelsSpread, panelsGathered} {
		for _, column := range []int{0, 3, 5, 7} {
			err := bsplib.Run(bsplib.Config{Procs: 2}, func(b *bsplib.Proc, s *state) error {
				p := parameters{n: 8, block: 4, pivot: true, seed: 6, panels: panels}
				s.setUp(b, p, grid{2, 1})
				for li := range s.A.rows() {
					s.A.row(li, 0)[column] = 0
				}
				b.Sync()
				s.factor(b, p)
				return nil
			})
			want := fmt.Sprintf("the matrix is singular: column %d has no pivot", column)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", panels, err, want)
			}
		}
	}
}

func TestGridOf(t *testing.T) {
	for _, c := range []struct {
		text  string
		procs int
		want  string
	}{
		{"", 1, "{1 1}"},
		{"", 6, "{2 3}"},
		{"", 7, "{1 7}"},
		{"", 16, "{4 4}"},
		{"3x2", 6, "{3 2}"},
		{"3x2", 4, "-grid 3x2 has 6 processes, but 4 run; use -procs 6"},
		{"3", 3, "-grid 3: it is rows x columns, like 2x4"},
		{"3x", 3, "-grid 3x: it is rows x columns, like 2x4"},
		{"0x3", 3, "-grid 0x3: it is rows x columns, like 2x4"},
		{"-1x-3", 3, "-grid -1x-3: it is rows x columns, like 2x4"},
		{"1x3x1", 3, "-grid 1x3x1: it is rows x columns, like 2x4"},
	} {
		g, err := gridOf(c.text, c.procs)
		got := fmt.Sprint(g)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q for %d processes: %s, want %s", c.text, c.procs, got, c.want)
		}
	}
}

func TestCyclic(t *testing.T) {
	for _, c := range []cyclic{{10, 1, 1}, {10, 1, 3}, {10, 3, 2}, {23, 4, 5}, {5, 8, 2}} {
		seen := make([]int, c.Parts)
		for g := range c.N {
			part := c.owner(g)
			if c.local(g) != seen[part] || c.before(part, g) != seen[part] || c.global(part, seen[part]) != g {
				t.Errorf("%v: index %d: part %d, local %d, before %d; want place %d", c, g, part, c.local(g), c.before(part, g), seen[part])
			}
			seen[part]++
		}
		for part, n := range seen {
			if c.count(part) != n {
				t.Errorf("%v: part %d has %d, count says %d", c, part, n, c.count(part))
			}
		}
	}
}

// The factorisation is the same with any moves of processes.
func TestMovesChangeNothing(t *testing.T) {
	for _, p := range []parameters{
		{n: 60, block: 5, pivot: true, seed: 3, panels: panelsSpread},
		{n: 60, block: 5, pivot: true, seed: 3, panels: panelsGathered},
		{n: 60, block: 5, pivot: true, seed: 3, panels: panelsAuto},
		{n: 37, block: 1, pivot: false, seed: 4},
	} {
		apptest.Same(t, func(cfg bsplib.Config) any {
			factors, swaps := factoredWith(t, p, grid{2, 3}, cfg)
			return []any{factors, swaps}
		}, 6)
	}
}

// Among pivots of equal magnitude the first of the matrix is taken, on any process.
func TestEqualPivots(t *testing.T) {
	const n = 40
	p := parameters{n: n, block: 4, pivot: true}
	element := func(i, j int) float64 { return float64(mixed(i, j)%3) - 1 }
	want, pivots := make([]float64, n*n), make([]int, n)
	for i := range want {
		want[i] = element(i/n, i%n)
	}
	dense.Getrf(n, n, want, n, pivots)
	for _, g := range grids {
		for _, p.panels = range ways(g) {
			got, swaps := factoredFrom(t, p, g, bsplib.Config{Ranks: 2, Shake: true}, element)
			if !slices.Equal(got, want) || !slices.Equal(swaps, pivots) {
				t.Errorf("%d x %d, %s: swaps %v, want %v", g.rows, g.cols, p.panels, swaps, pivots)
			}
		}
	}
}

func mixed(i, j int) uint64 { return numbers.Mix(uint64(i<<32|j)) >> 7 }
