package bsplib_test

import (
	"math/rand/v2"
	"slices"
)

// generator makes a program that keeps the rules of BSPlib.
type generator struct {
	*rand.Rand
	*program
	usable   []int // areas registered before this superstep and not gone
	poppable []int // areas without a Pop, those of this superstep too
	madeUpTo int   // queues that exist
	busiest  int   // most ops of a process in a superstep
	keeping  bool  // a Keep has been called
}

// maxBlocks keeps programs small enough to be read.
const maxBlocks = 10

// sizes are those of a program's largest memory. The library treats data that
// is long or huge in other ways.
type sizes int

const (
	small sizes = iota
	long        // some 100 KiB
	huge        // more than 16 MiB
)

// generate makes the program of a seed.
func generate(seed uint64, size sizes) *program {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), program: &program{seed: seed}}
	g.procs = 1 + g.IntN(9)
	g.busiest = 1 + g.IntN(12)
	steps := 3 + g.IntN(8)
	switch size {
	case long:
		k := g.IntN(len(kinds))
		g.blocks = append(g.blocks, block{k, g.counts(30_000, 60_000), false}, block{k, g.counts(30_000, 60_000), false})
	case huge:
		g.procs = min(g.procs, 4)
		g.blocks = append(g.blocks, block{byteKind, g.counts(17<<20, 17<<20+100), false})
		steps = 4
	}
	for range 2 + g.IntN(4) {
		g.addBlock(false)
	}
	for len(g.steps) < steps {
		g.addSection()
	}
	return g.program
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// counts makes a length for each process.
func (g *generator) counts(lo, hi int) []int {
	all := make([]int, g.procs)
	same := g.chance(40)
	for pid := range all {
		all[pid] = lo + g.IntN(hi-lo+1)
		if same {
			all[pid] = all[0]
		} else if g.chance(10) {
			all[pid] = 0
		}
	}
	return all
}

func (g *generator) addBlock(fresh bool) int {
	limit := 1 + g.IntN(60)
	switch g.IntN(12) {
	case 0:
		limit = 3000
	case 1:
		limit = 1
	case 2:
		if fresh { // memory that is not zeroed first
			limit = 30_000
		}
	}
	g.blocks = append(g.blocks, block{g.IntN(len(kinds)), g.counts(0, limit), fresh})
	return len(g.blocks) - 1
}

// addSection adds plain supersteps, or a stage loop.
func (g *generator) addSection() {
	if !g.chance(30) {
		s := section{passes: [][]int{nil}}
		for range 1 + g.IntN(3) {
			s.passes[0] = append(s.passes[0], g.addStep(g.someEnding()))
		}
		g.sections = append(g.sections, s)
		return
	}
	s := section{stages: 1 + g.IntN(3), leave: g.chance(30)}
	passes := s.stages
	if s.leave {
		passes = 1 + g.IntN(s.stages)
	}
	for k := range passes {
		var pass []int
		for range g.IntN(2) {
			pass = append(pass, g.addStep(g.someEnding()))
		}
		end := ending{what: endStage}
		if s.leave && k == passes-1 {
			end = g.someEnding()
		}
		s.passes = append(s.passes, append(pass, g.addStep(end)))
	}
	g.sections = append(g.sections, s)
}

func (g *generator) someEnding() ending {
	if g.chance(75) {
		return ending{what: endSync}
	}
	return ending{endBroadcast + g.IntN(endings-endBroadcast), g.IntN(g.procs), g.IntN(20), g.Uint64()}
}

// addStep adds a superstep: what all processes do alike, and between that what
// each does on its own.
func (g *generator) addStep(end ending) int {
	st := step{end: end, ops: make([][]op, g.procs), hp: make([][]span, g.procs)}
	common := g.commonOps()
	hp := make([][]op, g.procs)
	if g.chance(40) && !g.clears() {
		for range 1 + g.IntN(4) {
			pid := g.IntN(g.procs)
			hp[pid] = append(hp[pid], g.unbuffered(&st, pid)...)
		}
	}
	for pid := range g.procs {
		own := hp[pid]
		for range g.IntN(g.busiest + 1) {
			own = append(own, g.someOps(&st, pid)...)
		}
		if g.chance(30) {
			g.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
		}
		st.ops[pid] = g.interleave(common, own)
		slices.SortFunc(st.hp[pid], func(a, b span) int { return a.lo - b.lo })
	}
	g.settle(common)
	g.steps = append(g.steps, st)
	return len(g.steps) - 1
}

// clears reports whether processes begin the coming superstep by clearing what was not kept,
// which nobody else may access then.
func (g *generator) clears() bool {
	return g.keeping && len(g.steps) > 0 && g.steps[len(g.steps)-1].end.what == endStage
}

// commonOps are those that all processes make in the same order.
func (g *generator) commonOps() []op {
	var all []op
	for g.chance(45) || len(g.steps) == 0 && len(all) < 3 {
		switch k := g.IntN(10); {
		case k < 4:
			all = append(all, g.registration())
		case k < 6 && len(g.blocks) < maxBlocks:
			b := g.addBlock(true)
			g.areas = append(g.areas, area{b, make([]int, g.procs), g.blocks[b].count})
			g.poppable = append(g.poppable, len(g.areas)-1)
			all = append(all, op{what: alloc, area: len(g.areas) - 1})
		case k < 8 && len(g.poppable) > 0:
			i := g.IntN(len(g.poppable))
			all = append(all, op{what: pop, area: g.poppable[i]})
			g.poppable = slices.Delete(g.poppable, i, i+1)
		case len(g.queues) < 5:
			g.queues = append(g.queues, g.IntN(len(mailKinds)))
			all = append(all, op{what: makeQueue, queue: len(g.queues) - 1})
		}
	}
	return all
}

// registration registers a block, or a part of it, maybe not for the first
// time.
func (g *generator) registration() op {
	b := g.IntN(len(g.blocks))
	for g.blocks[b].fresh {
		b = g.IntN(len(g.blocks))
	}
	a := area{b, make([]int, g.procs), slices.Clone(g.blocks[b].count)}
	if g.chance(40) {
		for pid, n := range g.blocks[b].count {
			a.lo[pid], a.hi[pid] = g.rangeOf(n)
		}
	}
	g.areas = append(g.areas, a)
	g.poppable = append(g.poppable, len(g.areas)-1)
	return op{what: register, area: len(g.areas) - 1}
}

// rangeOf picks a part of n elements.
func (g *generator) rangeOf(n int) (lo, hi int) {
	if g.chance(20) {
		return 0, n
	}
	lo, hi = g.IntN(n+1), g.IntN(n+1)
	return min(lo, hi), max(lo, hi)
}

// settle makes the registrations and Pops of a superstep hold.
func (g *generator) settle(common []op) {
	for _, o := range common {
		switch o.what {
		case register, alloc:
			g.usable = append(g.usable, o.area)
		case pop:
			if i := slices.Index(g.usable, o.area); i >= 0 {
				g.usable = slices.Delete(g.usable, i, i+1)
			}
		}
	}
	g.madeUpTo = len(g.queues)
}

// interleave puts two sequences together at random.
func (g *generator) interleave(a, b []op) []op {
	var all []op
	for len(a)+len(b) > 0 {
		if g.IntN(len(a)+len(b)) < len(a) {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return all
}
