package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/apps/internal/numbers"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// channel returns the parameters of a channel; a size of three numbers is three-dimensional.
func channel(t testing.TB, size, obstacle string, steps int) *parameters {
	t.Helper()
	p := &parameters{steps: steps, speed: 0.1, viscosity: 0.02, name: obstacle}
	must.Do(t, p.readSize(size, strings.Count(size, "x") == 2))
	p.obstacle = must.Get(p.obstacleOf(obstacle))(t)
	p.push()
	return p
}

// flown is the recorded final state of a flow.
type flown struct {
	layers   []layerSum
	fastest  float64
	checksum uint64
	cells    map[[3]int][4]float64 // density and velocity by coordinates
}

func flow(t testing.TB, p *parameters, cfg bsplib.Config) *flown {
	t.Helper()
	end := &flown{cells: make(map[[3]int][4]float64)}
	must.Do(t, bsplib.Run(cfg, func(b *bsplib.Proc, s *state) error {
		s.run(b, p)
		g := p.geometryOf(b.Pid(), b.NProcs())
		sums, fastest := s.sums(p, g)
		fastest = bsplib.Allreduce(b, fastest, numbers.Larger)
		sum := s.checksum(b, p, g)
		parts := bsplib.Gather(b, 0, sums)
		places := bsplib.Gather(b, 0, s.places(p, g))
		if b.Pid() == 0 {
			end.fastest, end.checksum = fastest, sum
			for pid, part := range parts {
				end.layers = append(end.layers, part...)
				for _, c := range places[pid] {
					end.cells[c.At] = c.Has
				}
			}
		}
		return nil
	}))
	return end
}

type placed struct {
	At  [3]int
	Has [4]float64
}

// places returns all fluid cells of a process.
func (s *state) places(p *parameters, g *geometry) (all []placed) {
	for layer := range g.shape.layers {
		for y := range g.shape.lines() {
			for x := range g.shape.length {
				if h := g.first + layer; !p.solid(x, h, y) {
					density, u, v, w := p.cell(s.F.Slice(), g.shape.size(), g.shape.at(x, layer, y)+base(p.steps)*g.shape.layer())
					all = append(all, placed{[3]int{x, h, y}, [4]float64{density, u, v, w}})
				}
			}
		}
	}
	return all
}

// In the long run the profile between two walls is a parabola, to the last digits: so
// exactly are walls between cells.
func TestTheProfileBecomesAParabola(t *testing.T) {
	for _, size := range []string{"1x9", "5x8", "2x7x3"} {
		p := channel(t, size, "none", 20*9*9)
		p.viscosity = 0.2
		p.push()
		for h, layer := range flow(t, p, bsplib.Config{Procs: 3}).layers {
			z := (float64(h) + 0.5) / float64(p.height)
			want := 4 * p.speed * z * (1 - z)
			if got := layer.Along / layer.Cells; math.Abs(got-want) > 1e-9*p.speed {
				t.Errorf("%s: layer %d has speed %.12g, want %.12g", size, h, got, want)
			}
		}
	}
}

// While the profile forms, it equals a viscous fluid's.
func TestTheProfileGrows(t *testing.T) {
	for _, size := range []string{"8x24", "3x64", "4x20x3"} {
		if testing.Short() && size != "8x24" {
			continue
		}
		for _, steps := range []int{300, 1000} {
			for _, viscosity := range []float64{0.01, 0.1} {
				p := channel(t, size, "none", steps)
				p.viscosity = viscosity
				p.push()
				if e := p.profileError(flow(t, p, bsplib.Config{Procs: 2}).layers); !(e < profileLimit) {
					t.Errorf("%s, viscosity %g: error %g after %d steps", size, viscosity, e, steps)
				}
			}
		}
	}
}

// It is checked from when it can be right, in channels of any height and for fluids of any
// viscosity, and never before.
func TestTheProfileIsCheckedWhenItHasFormed(t *testing.T) {
	sizes, viscosities := []string{"1x1", "2x2", "1x5", "3x24", "2x4x3"}, []float64{0.01, 0.02, 0.05, 0.1, 0.3, 1}
	if testing.Short() {
		sizes, viscosities = sizes[1:3], viscosities[1:3]
	}
	for _, size := range sizes {
		for _, viscosity := range viscosities {
			for _, early := range []int{0, 1} {
				p := channel(t, size, "none", 1)
				p.viscosity = viscosity
				p.steps = p.forming() - early
				p.push()
				end := flow(t, p, bsplib.Config{Procs: 1})
				checks, details := p.checks(end.layers, end.fastest), fmt.Sprint(p.details(1, 1, 1))
				if len(checks) != 3-early || strings.Contains(details, "not checked before step") != (early == 1) {
					t.Errorf("%s, viscosity %g, %d steps: %d checks, %s", size, viscosity, p.steps, len(checks), details)
				}
				for _, c := range checks {
					if !c.Passed {
						t.Errorf("%s, viscosity %g, %d steps: %s", size, viscosity, p.steps, c.String())
					}
				}
			}
		}
	}
}

func TestMassStays(t *testing.T) {
	for _, c := range [][2]string{{"40x20", "cylinder"}, {"40x20", "hills"}, {"40x20", "none"}, {"14x12x8", "sphere"}, {"14x12x8", "hills"}} {
		p := channel(t, c[0], c[1], 80)
		end := flow(t, p, bsplib.Config{Procs: 4})
		for _, check := range p.checks(end.layers, end.fastest) {
			if !check.Passed {
				t.Errorf("%v: %s", c, check.String())
			}
		}
		if !(end.fastest > 0.001) {
			t.Errorf("%v: nothing moves: %g", c, end.fastest)
		}
	}
}

// Neither the number of processes nor where they are changes a bit.
func TestTheFlowIsTheSameEverywhere(t *testing.T) {
	for _, c := range [][2]string{{"40x20", "cylinder"}, {"30x14", "hills"}, {"10x12x6", "sphere"}} {
		p := channel(t, c[0], c[1], 21)
		p.frames = 7
		apptest.Same(t, func(cfg bsplib.Config) any {
			got := flow(t, p, cfg)
			return fmt.Sprint(got.checksum, got.layers, got.fastest)
		}, 1, p.height, 5, 6, 7)
	}
}

// The same as a plain program, with two copies of all populations, computes.
func TestTheFlowIsThatOfAPlainProgram(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	for _, size := range []string{"9x7", "12x5", "6x5x4", "3x4x1"} {
		p := channel(t, size, "none", 12)
		holes := make(map[[3]int]bool)
		for range p.length * p.height * p.lines() / 4 {
			holes[[3]int{r.IntN(p.length), r.IntN(p.height), r.IntN(p.lines())}] = true
		}
		p.obstacle = &obstacle{
			solid:  func(x, h, y int) bool { return holes[[3]int{x, h, y}] },
			blocks: func(int) bool { return true },
		}
		p.push()
		end := flow(t, p, bsplib.Config{Procs: 3})
		want := plain(p)
		if len(want) != len(end.cells) {
			t.Fatalf("%s: %d cells, want %d", size, len(end.cells), len(want))
		}
		for at, has := range want {
			for i, x := range has {
				if far := math.Abs(end.cells[at][i] - x); !(far < 1e-13) {
					t.Errorf("%s: cell %v has %v, want %v", size, at, end.cells[at], has)
					break
				}
			}
		}
	}
}

func (p *parameters) lines() int { return max(1, p.breadth) }

// plain computes a flow from the definitions.
func plain(p *parameters) map[[3]int][4]float64 {
	v := p.lattice
	wrap := func(x, h, y int) [3]int { return [3]int{(x + p.length) % p.length, h, (y + p.lines()) % p.lines()} }
	now := make(map[[3]int][]float64)
	for h := range p.height {
		for x := range p.length {
			for y := range p.lines() {
				if p.solid(x, h, y) {
					continue
				}
				f := make([]float64, v.count())
				for q := range f {
					f[q] = p.atRest(q, p.initial(h))
				}
				now[[3]int{x, h, y}] = f
			}
		}
	}
	for range p.steps {
		next := make(map[[3]int][]float64)
		for at, own := range now {
			in := make([]float64, v.count())
			for q := range in {
				from := wrap(at[0]-v.along[q], at[1]-v.up[q], at[2]-v.across[q])
				if there, fluid := now[from]; fluid {
					in[q] = there[q]
				} else {
					in[q] = own[opposite(q)]
				}
			}
			next[at] = p.meet(in)
		}
		now = next
	}
	end := make(map[[3]int][4]float64)
	for at, f := range now {
		density, a, b, c := p.cell(f, 1, 0)
		end[at] = [4]float64{density, a, b, c}
	}
	return end
}

// meet is the collision of one cell.
func (p *parameters) meet(in []float64) []float64 {
	v := p.lattice
	density, x, y, z := 0., p.Force/2, 0., 0.
	for q, f := range in {
		density += f
		x, y, z = x+f*float64(v.along[q]), y+f*float64(v.up[q]), z+f*float64(v.across[q])
	}
	x, y, z = x/density, y/density, z/density
	rest := func(q int) float64 {
		c := float64(v.along[q])*x + float64(v.up[q])*y + float64(v.across[q])*z
		return v.weight[q] * density * (1 + 3*c + 4.5*c*c - 1.5*(x*x+y*y+z*z))
	}
	out := make([]float64, len(in))
	for q, f := range in {
		o := opposite(q)
		evenPart := (f + in[o] - rest(q) - rest(o)) / 2
		oddPart := (f - in[o] - rest(q) + rest(o)) / 2
		out[q] = f - p.Even*evenPart - p.Odd*oddPart + (1-p.Odd/2)*3*v.weight[q]*float64(v.along[q])*p.Force
	}
	return out
}

func TestVelocities(t *testing.T) {
	for _, v := range []*velocities{d2q9, d3q19} {
		sum := 0.
		for q, w := range v.weight {
			o := opposite(q)
			if v.along[q] != -v.along[o] || v.up[q] != -v.up[o] || v.across[q] != -v.across[o] || opposite(o) != q {
				t.Errorf("%s: %d is not opposite to %d", v.name, o, q)
			}
			sum += w
		}
		if math.Abs(sum-1) > 1e-15 || fmt.Sprintf("D%dQ%d", 2+v.count()/19, v.count()) != v.name {
			t.Errorf("%s: %d weights with a sum of %g", v.name, v.count(), sum)
		}
	}
}

// Cells per second of the kernels alone, reported as bytes.
func BenchmarkCollide(b *testing.B) {
	for _, size := range []string{"400x100", "2000x500", "96x48x32"} {
		b.Run(size, func(b *testing.B) {
			p := channel(b, size, "none", 1)
			g, w := p.geometryOf(0, 1), p.room()
			f := make([][]float64, p.lattice.count())
			for q := range f {
				f[q] = make([]float64, g.shape.size())
				for i := range f[q] {
					f[q][i] = p.atRest(q, 0.05)
				}
			}
			b.SetBytes(int64(p.length * p.height * max(1, p.breadth)))
			for b.Loop() {
				for layer := range g.shape.layers {
					g.collide(p, w, f, layer, base(0)*g.shape.layer(), base(1)*g.shape.layer())
				}
			}
		})
	}
}
