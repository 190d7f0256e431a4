package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

func TestMain(m *testing.M) { apptest.Main(m, main) }

// problems cover all kinds: flags, with their values.
var problems = [][]string{
	{"n", "23", "steps", "40"},
	{"n", "17", "steps", "25", "mode", "3x2", "fourier", "0.25"},
	{"n", "30", "steps", "33", "mode", "none", "walls", "left=1,top=-0.5,right=2"},
	{"n", "21", "steps", "30", "mode", "none", "source", "0.3,0.6:0.1=20"},
	{"n", "19", "steps", "100000", "walls", "1", "source", "0.3,0.6:0.1=20", "tol", "1e-7"},
	{"dim", "3", "n", "12", "steps", "20"},
	{"dim", "3", "n", "13", "steps", "22", "mode", "2x1x3", "walls", "bottom=1,front=0.5,back=-2", "source", "0.3,0.6,0.9:0.2=7"},
}

// tried returns the problems. In a short run the problem with a tolerance takes fewer steps.
func tried() [][]string {
	all := slices.Clone(problems)
	for i, problem := range all {
		if last := len(problem) - 1; testing.Short() && problem[last-1] == "tol" {
			all[i] = append(slices.Clone(problem[:last]), "1e-3")
		}
	}
	return all
}

// run runs the program, which must verify its result.
func run(t *testing.T, cfg bsplib.Config) *ledger.Result {
	t.Helper()
	must.Do(t, check(cfg.Procs))
	cfg.Result = &ledger.Result{}
	if err := bsplib.Run(cfg, heat); err != nil {
		t.Fatalf("%v: %+v", err, cfg.Result)
	}
	return cfg.Result
}

// plain returns a whole body without processes: its temperatures by the cells' coordinates.
func plain(p *parameters) map[axes]float64 {
	inside := func(c axes) bool { return max(c[0], c[1], c[2]) < p.n && min(c[0], c[1], c[2]) >= 0 }
	now := make(map[axes]float64)
	for z := range p.n*(p.dim-2) + 3 - p.dim {
		for y := range p.n {
			for x := range p.n {
				c := axes{x, y, z}
				if p.waves[0] > 0 {
					now[c] = 1
					for axis := range p.dim {
						now[c] *= p.sine(p.waves[axis], c[axis])
					}
				} else {
					now[c] = 0
				}
			}
		}
	}
	for steps := 1; ; steps++ {
		next, change := make(map[axes]float64), 0.
		for c, u := range now {
			sum := 0.
			for axis := range p.dim {
				pair := 0.
				for upper, to := range []int{-1, 1} {
					there := c
					there[axis] += to
					if inside(there) {
						pair += now[there]
					} else {
						pair += p.walls[2*axis+upper]
					}
				}
				sum += pair
			}
			next[c] = float64(p.weights.Own*u) + float64(p.weights.Beside*sum)
			if p.source.rise != 0 && p.source.reaches(p, c) {
				next[c] += p.source.rise
			}
			change = max(change, math.Abs(next[c]-u))
		}
		now = next
		if steps == p.steps || steps%10 == 0 && change < p.tolerance {
			return now
		}
	}
}

// Each cell equals the result of a plain program, to the last bit, for any partition of the body.
func TestTemperaturesAreThoseOfAPlainProgram(t *testing.T) {
	for _, problem := range tried() {
		t.Run(strings.Join(problem, " "), func(t *testing.T) {
			apptest.Set(t, problem...)
			whole := must.Get(read(1))(t)
			want := plain(whole)
			for _, procs := range []int{1, 2, 3, 4, 7, 8, 12} {
				p := must.Get(read(procs))(t)
				err := bsplib.Run(bsplib.Config{Procs: procs, Ranks: 2}, func(b *bsplib.Proc, s *state) error {
					s.run(b, p)
					part := p.partOf(b.Pid())
					for at, line := range part.lines(s.U) {
						for x, u := range line {
							c := axes{part.first[0] + x, part.first[1] + at[1], part.first[2] + at[2]}
							if math.Float64bits(u) != math.Float64bits(want[c]) {
								return fmt.Errorf("cell %v has %v, want %v", c, u, want[c])
							}
						}
					}
					cells := bsplib.Sum(b, part.block.X*part.block.Y*part.block.Layers())
					if cells != len(want) {
						return fmt.Errorf("%d cells, want %d", cells, len(want))
					}
					return nil
				})
				if err != nil {
					t.Errorf("%d processes: %v", procs, err)
				}
			}
		})
	}
}

// Neither the number of processes nor where they are changes a bit, and the program finds
// its results right.
func TestSameEverywhere(t *testing.T) {
	for _, problem := range tried() {
		t.Run(strings.Join(problem, " "), func(t *testing.T) {
			apptest.Set(t, problem...)
			apptest.Same(t, func(cfg bsplib.Config) any { return run(t, cfg).Checksum }, 1, 4, 5, 12, 8)
		})
	}
}

func TestAnyGrid(t *testing.T) {
	for _, c := range []struct {
		dim   string
		grids []string
	}{{"2", []string{"1x12", "12x1", "4x3"}}, {"3", []string{"1x1x12", "2x3x2", "12x1x1", "3x4x1"}}} {
		apptest.Set(t, "dim", c.dim, "n", "12", "steps", "15", "walls", "left=1", "grid", "")
		want := run(t, bsplib.Config{Procs: 1}).Checksum
		for _, grid := range c.grids {
			apptest.Set(t, "grid", grid)
			if got := run(t, bsplib.Config{Procs: 12}).Checksum; got != want {
				t.Errorf("%s: %s, want %s", grid, got, want)
			}
		}
	}
}

// The checks find a cell that is wrong by more than rounding, and walls, a source or steps that
// differ from the parameters.
func TestChecksFind(t *testing.T) {
	for _, problem := range problems {
		for name, spoil := range map[string]func(s *state, p *parameters, pid int){
			"cell": func(s *state, p *parameters, pid int) {
				if pid == 0 {
					s.U[p.partOf(0).block.At(2, 3, 0)] += 1e-9
				}
			},
			"number": func(s *state, p *parameters, pid int) {
				if pid == 0 {
					s.U[p.partOf(0).block.At(0, 0, 0)] = math.NaN()
				}
			},
			"wall":  func(_ *state, p *parameters, _ int) { p.walls[3] += 1e-6 },
			"steps": func(s *state, _ *parameters, _ int) { s.Steps -= 9 },
		} {
			t.Run(strings.Join(problem, " ")+" "+name, func(t *testing.T) {
				apptest.Set(t, problem...)
				if name == "steps" && *tolerance > 0 {
					t.Skip("has settled: some steps more or less are not to be seen")
				}
				must.Do(t, bsplib.Run(bsplib.Config{Procs: 2}, func(b *bsplib.Proc, s *state) error {
					p, err := read(2)
					if err != nil {
						return err
					}
					s.run(b, p)
					spoil(s, p, b.Pid())
					if err := s.report(b, p); !errors.Is(err, bsplib.ErrNotVerified) {
						return fmt.Errorf("it passes: %w", err)
					}
					return nil
				}))
			})
		}
	}
}

// With a tolerance, steps end when the change falls below it; a run that never reaches it fails.
func TestTolerance(t *testing.T) {
	apptest.Set(t, "n", "21", "tol", "1e-6")
	p := must.Get(read(1))(t)
	// The slowest wave is 1 in the middle, and each step removes a fixed share of it.
	f, want := p.factor(axes{1, 1, 1}), 10
	for math.Pow(f, float64(want-1))*(1-f) >= 1e-6 {
		want += 10
	}
	for _, procs := range []int{1, 6} {
		result := run(t, bsplib.Config{Procs: procs, Shake: true})
		if text := fmt.Sprint(result.Details); !strings.Contains(text, fmt.Sprintf("{Steps %d}", want)) {
			t.Errorf("%s, want %d steps", text, want)
		}
	}
	apptest.Set(t, "steps", "50")
	var result ledger.Result
	if err := bsplib.Run(bsplib.Config{Procs: 2, Result: &result}, heat); !errors.Is(err, bsplib.ErrNotVerified) {
		t.Errorf("a tolerance that is not reached: %v", err)
	}
}

// The steady state follows from walls and sources. Between two walls of different temperatures, with
// the other walls as warm as the mean, the sum of a cell and its mirror image is twice the mean
// everywhere.
func TestSteadyState(t *testing.T) {
	apptest.Set(t, "n", "15", "mode", "none", "walls", "left=1,right=-1", "tol", "1e-15")
	p := must.Get(read(1))(t)
	must.Do(t, bsplib.Run(bsplib.Config{Procs: 1}, func(b *bsplib.Proc, s *state) error {
		s.run(b, p)
		block := p.partOf(0).block
		for y := range p.n {
			for x := range p.n {
				mirrored := s.U[block.At(p.n-1-x, y, 0)]
				if u := s.U[block.At(x, y, 0)]; math.Abs(u+mirrored) > 1e-12 || x < p.n/2 && !(u > 0) {
					t.Errorf("cell %d,%d has %g, its image %g", x, y, u, mirrored)
				}
			}
		}
		return nil
	}))
}

// The grid has the fewest cuts of all that fit.
func TestLeastSurface(t *testing.T) {
	for procs := 1; procs <= 64; procs++ {
		for _, dim := range []int{2, 3} {
			for _, n := range []int{3, 10, 1000} {
				got, ok := leastSurface(procs, dim, n)
				least := math.MaxInt
				for x := 1; x <= min(procs, n); x++ {
					for y := 1; y <= min(procs, n); y++ {
						z := procs / (x * y)
						if x*y*z == procs && z <= n && (dim == 3 || z == 1) {
							least = min(least, x+y+z)
						}
					}
				}
				if ok != (least < math.MaxInt) || ok && got[0]+got[1]+got[2] != least || ok && got[0]*got[1]*got[2] != procs {
					t.Errorf("%d processes, %d axes of %d cells: %v, %t", procs, dim, n, got, ok)
				}
			}
		}
	}
	for _, c := range []struct {
		procs, dim int
		want       axes
	}{{2, 2, axes{1, 2, 1}}, {12, 2, axes{3, 4, 1}}, {2, 3, axes{1, 1, 2}}, {12, 3, axes{2, 2, 3}}, {64, 3, axes{4, 4, 4}}} {
		if got, _ := leastSurface(c.procs, c.dim, 100); got != c.want {
			t.Errorf("%d processes in %d dimensions: %v, want %v", c.procs, c.dim, got, c.want)
		}
	}
}
