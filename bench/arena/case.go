package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/migbsp/migbsp/sim"
)

// entry is one case of the arena: a load on a platform, and where it begins.
type entry struct {
	kind, platform string
	groups         []string // of the table of means
	seed           uint64
	config         sim.Config
}

func (e *entry) name() string { return fmt.Sprintf("%s on %s, seed %d", e.kind, e.platform, e.seed) }

// draw makes the case of a kind on a family of platforms. The same seed makes the same case.
func draw(kind, platform int, seed uint64) (*entry, error) {
	e := &entry{kind: kinds[kind].name, platform: platforms[platform].name, groups: []string{kinds[kind].name}, seed: seed}
	random := e.random()
	p, err := machine(platforms[platform].sets(random))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.name(), err)
	}
	e.load(kind, p, random)
	return e, nil
}

// drawFor returns the case of a kind on a given platform.
func drawFor(kind int, name string, p *sim.Platform, seed uint64) *entry {
	e := &entry{kind: kinds[kind].name, platform: name, groups: []string{kinds[kind].name}, seed: seed}
	e.load(kind, p, e.random())
	return e
}

// random is the case's own.
func (e *entry) random() *rand.Rand {
	named := fnv.New64a()
	fmt.Fprint(named, e.kind, "/", e.platform)
	return rand.New(rand.NewPCG(e.seed, named.Sum64()))
}

// load draws up the load for a platform.
func (e *entry) load(kind int, p *sim.Platform, random *rand.Rand) {
	d := newDraft(p, random)
	kinds[kind].draw(d)
	e.config = sim.Config{Platform: p, Workload: d.workload(), Where: d.start()}
}

// newDraft returns the defaults of all kinds.
func newDraft(p *sim.Platform, random *rand.Rand) *draft {
	return &draft{
		random: random, p: p, procs: len(p.Hosts) * (2 + random.IntN(5)), steps: 80 + random.IntN(500),
		grain: 2e7 * between(random, 0.3, 3), bytes: between(random, 0, 2e4), far: 1, state: 1e5,
	}
}

// start returns an initial mapping as in real programs: blocks of neighbours, or round robin over
// hosts.
func (d *draft) start() []int32 {
	where, blocks := make([]int32, d.procs), d.random.IntN(2) == 0
	for pid := range where {
		where[pid] = int32(pid % len(d.p.Hosts))
		if blocks {
			where[pid] = int32(pid * len(d.p.Hosts) / d.procs)
		}
	}
	return where
}

// load is a case's workload.
type load struct {
	procs, steps, far int
	work              [][]float64
	bytes, kept       float64
	reduce            bool
	messages          []sim.Message
}

// workload returns the load of the draft.
func (d *draft) workload() *load {
	l := &load{procs: d.procs, steps: d.steps, far: d.far, bytes: d.bytes, kept: d.state, reduce: d.reduce, messages: d.messages}
	for step := range d.steps {
		row := make([]float64, d.procs)
		for pid := range row {
			row[pid] = d.grain * d.work(step, pid)
		}
		l.work = append(l.work, row)
	}
	return l
}

// Processes implements sim.Workload, as do the other exported methods.
func (l *load) Processes() int    { return l.procs }
func (l *load) State(int) float64 { return l.kept }

func (l *load) Steps() int {
	if l.reduce {
		return 2 * l.steps
	}
	return l.steps
}

// Bytes of a process's part in a reduction.
const reduced = 8

func (l *load) Fill(step int, s *sim.Step) error {
	s.Site = "step"
	if l.reduce {
		if step%2 == 1 {
			s.Site = "reduce"
			for pid := 1; pid < l.procs; pid++ {
				s.Messages = append(s.Messages, sim.Message{From: int32(pid), To: 0, Bytes: reduced})
			}
			return nil
		}
		step /= 2
	}
	copy(s.Work, l.work[step])
	if l.messages != nil {
		s.Messages = append(s.Messages, l.messages...)
		return nil
	}
	if l.bytes > 0 && l.procs > 1 {
		for pid := range l.procs {
			for _, to := range [2]int{pid + l.far, pid - l.far + l.procs} {
				s.Messages = append(s.Messages, sim.Message{From: int32(pid), To: int32(to % l.procs), Bytes: l.bytes})
			}
		}
	}
	return nil
}
