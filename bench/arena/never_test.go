package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

// Under any load, no run takes more than 3 % longer than without rescheduling, plus one call, one
// list of moves and its reversal, and two supersteps: the proof is in rebalancer/bank.go. The
// saving reported by the bank does not exceed the actual one.
func TestNeverLose(t *testing.T) { neverLoses(t, fewHosts) }

// The same on two or three Sets, where communicating processes are moved apart and messages are
// a larger part of the loss.
func TestNeverLoseOnSets(t *testing.T) { neverLoses(t, fewSets) }

// If a few supersteps take much longer than the others, the samples since a call estimate their
// mean badly. The error must not be reported as a saving.
func TestRareLoadsAreNoSaving(t *testing.T) {
	rare := slices.IndexFunc(reactions, func(r reaction) bool { return r.name == "rare" })
	for _, seed := range []uint64{11, 13} {
		r := neverLose(t, rare, seed, "auto", fewSets)
		if saved := r.without - r.with; r.believed > saved+0.01*r.without {
			t.Errorf("seed %d: the bank says that %g s were saved, it were %g of %g s", seed, r.believed, saved, r.without)
		}
	}
}

// neverLoses checks both against hostile loads. The bank's saving is an estimate from samples: it
// may be too high by more than 1 % of the run in one run of twenty.
func neverLoses(t *testing.T, platform func(t *testing.T, hosts int, random *rand.Rand) *sim.Platform) {
	seeds := 3
	if testing.Short() {
		seeds = 1
	}
	if text := os.Getenv("MIGBSP_TEST_SEEDS"); text != "" {
		fmt.Sscan(text, &seeds)
	}
	over := 0
	for kind := range reactions {
		least := 0.0
		for seed := range seeds {
			r := neverLose(t, kind, uint64(seed), "auto", platform)
			name := fmt.Sprintf("%s, seed %d", reactions[kind].name, seed)
			least = min(least, 1-r.with/r.without)
			if r.with > 1.03*r.without+r.call+2*r.moves+2*r.step {
				t.Errorf("%s: %+v: too long", name, r)
			}
			if saved := r.without - r.with; r.believed > saved+0.01*r.without+r.call+r.moves+2*r.step {
				t.Logf("%s: %+v: the bank says that %g s were saved, it were %g s", name, r, r.believed, saved)
				over++
			}
		}
		t.Logf("%s: %.1f%% at worst", reactions[kind].name, 100*least)
	}
	if runs := len(reactions) * seeds; over > max(1, runs/20) {
		t.Errorf("in %d of %d runs the bank says too much", over, runs)
	}
}

// bout is a hostile load with and without rescheduling, in seconds.
type bout struct {
	with, without     float64
	call, moves, step float64 // the longest call, the longest moves, and the maximum loss of a superstep
	believed          float64 // the last saving reported by the bank
}

func neverLose(t *testing.T, kind int, seed uint64, balance string, platform func(t *testing.T, hosts int, random *rand.Rand) *sim.Platform) (d bout) {
	random := rand.New(rand.NewPCG(seed, uint64(kind)))
	hosts := 2 + random.IntN(6)
	l := &load{steps: 100 + random.IntN(300), far: 1, kept: math.Exp(10 + 7*random.Float64())}
	h := &hostile{Workload: l, random: random, react: reactions[kind], pick: [2]int{1 + random.IntN(30), 5 + random.IntN(60)}}
	p := platform(t, hosts, random)
	hosts = len(p.Hosts)
	h.hosts = hosts
	if random.IntN(2) == 0 {
		l.bytes = 1e5 * random.Float64()
	}
	for pid := range hosts * (1 + random.IntN(5)) {
		h.home = append(h.home, int32(pid%hosts))
	}
	h.where, l.procs = slices.Clone(h.home), len(h.home)
	for range l.steps {
		l.work = append(l.work, repeat(2e7, l.procs))
	}
	spec := must.Get(rebalancer.Parse(balance))(t)
	c := sim.Config{Platform: p, Workload: h, Where: slices.Clone(h.home), Balance: spec}
	var took []float64
	r := must.Get(sim.Run(t.Context(), &c, sim.Report{Step: func(s *sim.StepRecord) { took = append(took, s.Total) }, Call: func(r *sim.CallRecord) {
		h.moved(r.Decision.Moves)
		d.call, d.moves, d.believed = max(d.call, r.Took), max(d.moves, r.Moved), r.Decision.Learned.Bank.Saved
	}}))(t)
	c.Workload, c.Balance = replay{h.Workload, h.done}, rebalancer.Spec{}
	off := must.Get(sim.Run(t.Context(), &c, sim.Report{Step: func(s *sim.StepRecord) { d.step = max(d.step, took[s.Number-1]-s.Total) }}))(t)
	d.with, d.without = r.Time, off.Time
	return d
}

// fewSets is a platform of at least four hosts in two or three Sets.
func fewSets(t *testing.T, hosts int, random *rand.Rand) *sim.Platform {
	hosts = max(hosts, 4)
	sets := make([]set, 2+random.IntN(2))
	for i := range sets {
		sets[i] = set{speeds: repeat(0.5+2*random.Float64(), (hosts-i+len(sets)-1)/len(sets)), rate: 1.25e8, latency: 5e-5}
	}
	return made(t, sets)
}

// fewHosts is a platform of so many hosts, of one speed or of several.
func fewHosts(t *testing.T, hosts int, random *rand.Rand) *sim.Platform {
	all := set{speeds: repeat(1, hosts), rate: 1.25e8, latency: 5e-5}
	if random.IntN(2) == 0 {
		for i := range all.speeds {
			all.speeds[i] = 0.5 + 2*random.Float64()
		}
	}
	return made(t, []set{all})
}

func made(t *testing.T, sets []set) *sim.Platform {
	t.Helper()
	p := must.Get(machine(sets))(t)
	return p
}
