// Package second draws simulated cases for the arena: a load on a platform, both from one seed.
// It is independent of the arena's first generator, and strategies are not tuned on it.
package second

import (
	"math"
	"math/rand/v2"

	"github.com/migbsp/migbsp/sim"
)

// Case is a load on a platform.
type Case struct {
	Load     string // the shape of its work and the pattern of its messages, with + between them
	Platform string
	Config   sim.Config
}

// Separator joins the two names in Case.Load.
const Separator = "+"

// Loads returns the names of which Case.Load has two: shapes of work, then patterns of messages.
func Loads() (names []string) {
	for _, s := range shapes {
		names = append(names, s.name)
	}
	for _, p := range patterns {
		names = append(names, p.name)
	}
	return names
}

// Platforms returns the names of the families of platforms.
func Platforms() (names []string) {
	for _, f := range families {
		names = append(names, f.name)
	}
	return names
}

// Names returns the names of a seed's case without drawing the rest of it.
func Names(seed uint64) (load, platform string) {
	s, p, f := choose(newSource(seed))
	return s.name + Separator + p.name, f.name
}

// Draw returns the case of a seed.
func Draw(seed uint64) (*Case, error) {
	r := newSource(seed)
	s, p, f := choose(r)
	procs, hosts := size(r)
	m := f.build(r, hosts)
	d := newDraft(r, m, procs*len(m.hosts))
	l := d.load(s, p)
	platform, err := m.platform()
	if err != nil {
		return nil, err
	}
	m.disturb(r, platform, l.seconds(m))
	c := &Case{Load: s.name + Separator + p.name, Platform: f.name}
	c.Config = sim.Config{Platform: platform, Workload: l, Where: d.start()}
	if r.chance(0.25) {
		c.Config.Barrier = sim.Barrier{Near: r.log(1e-6, 1e-5), Far: r.log(1e-5, 2e-4)}
	}
	return c, nil
}

func choose(r source) (shape, pattern, family) {
	return shapes[r.IntN(len(shapes))], patterns[r.IntN(len(patterns))], families[r.IntN(len(families))]
}

// size draws the number of processes per host and the number of hosts. Crowded platforms are
// small, because the cost of a simulated superstep grows with the number of processes.
func size(r source) (procs, hosts int) {
	switch class := r.Float64(); {
	case class < 0.12:
		return 1, r.whole(3, 40)
	case class < 0.55:
		return r.whole(2, 8), r.whole(2, 40)
	case class < 0.8:
		return r.whole(8, 40), r.whole(1, 12)
	default:
		return r.whole(100, 300), r.whole(1, 4)
	}
}

// source is the random numbers of a case.
type source struct{ *rand.Rand }

func newSource(seed uint64) source { return source{rand.New(rand.NewPCG(seed, 0x5ec0d))} }

func (r source) chance(p float64) bool { return r.Float64() < p }

func (r source) between(low, high float64) float64 { return low + (high-low)*r.Float64() }

// log returns a number whose logarithm is uniform.
func (r source) log(low, high float64) float64 { return low * math.Pow(high/low, r.Float64()) }

// whole is log for whole numbers, limits included.
func (r source) whole(low, high int) int {
	return min(high, int(r.log(float64(low), float64(high+1))))
}

// factor returns a log-normal factor.
func (r source) factor(sigma float64) float64 { return math.Exp(sigma * r.NormFloat64()) }

// subset marks a random part of n elements: at least one.
func (r source) subset(n int, part float64) []bool {
	chosen := make([]bool, n)
	for i := range chosen {
		chosen[i] = r.chance(part)
	}
	chosen[r.IntN(n)] = true
	return chosen
}
