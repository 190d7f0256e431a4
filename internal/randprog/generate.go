package randprog

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// generator makes a program that keeps the rules of BSPlib.
type generator struct {
	*rand.Rand
	p        *Program
	usable   []int // areas registered before this superstep that still exist
	poppable []int // areas without a Pop, including areas of this superstep
	madeUpTo int   // queues that exist
	busiest  int   // most ops of a process in a superstep
	keeping  bool  // a Keep has been called
}

// maxBlocks keeps programs small enough to be read.
const maxBlocks = 10

// A Size is a class of a program's largest memory. The library has separate
// paths for long and for huge data.
type Size int

// Classes of memory.
const (
	Small Size = iota
	Long       // some 100 KiB
	Huge       // more than 16 MiB
)

// Generate returns the program of a seed. It has at least the given number of
// supersteps, or 3 to 12 if steps is 0.
func Generate(seed uint64, size Size, steps int) *Program {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), p: &Program{Seed: seed}}
	g.p.Procs = 1 + g.IntN(9)
	g.busiest = 1 + g.IntN(12)
	few := 3 + g.IntN(8)
	switch size {
	case Long:
		k := g.IntN(len(kinds))
		g.p.blocks = append(g.p.blocks, block{k, g.counts(30_000, 60_000), false}, block{k, g.counts(30_000, 60_000), false})
	case Huge:
		g.p.Procs = min(g.p.Procs, 4)
		g.p.blocks = append(g.p.blocks, block{byteKind, g.counts(17<<20, 17<<20+100), false})
		few = 4
	}
	for range 2 + g.IntN(4) {
		g.addBlock(false)
	}
	for len(g.p.steps) < cmp.Or(steps, few) {
		g.addSection()
	}
	return g.p
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// counts returns a random length for each process.
func (g *generator) counts(lo, hi int) []int {
	all := make([]int, g.p.Procs)
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
	g.p.blocks = append(g.p.blocks, block{g.IntN(len(kinds)), g.counts(0, limit), fresh})
	return len(g.p.blocks) - 1
}

// addSection adds plain supersteps, or a stage loop.
func (g *generator) addSection() {
	if !g.chance(30) {
		s := section{passes: [][]int{nil}}
		for range 1 + g.IntN(3) {
			s.passes[0] = append(s.passes[0], g.addStep(g.someEnding()))
		}
		g.p.sections = append(g.p.sections, s)
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
	g.p.sections = append(g.p.sections, s)
}

func (g *generator) someEnding() ending {
	if g.chance(75) {
		return ending{what: endSync}
	}
	return ending{endBroadcast + g.IntN(endings-endBroadcast), g.IntN(g.p.Procs), g.IntN(20), g.Uint64()}
}

// addStep adds a superstep: the ops common to all processes, and among them
// each process's own.
func (g *generator) addStep(end ending) int {
	st := step{end: end, ops: make([][]op, g.p.Procs), hp: make([][]span, g.p.Procs)}
	common := g.commonOps()
	hp := make([][]op, g.p.Procs)
	if g.chance(40) && !g.clears() {
		for range 1 + g.IntN(4) {
			pid := g.IntN(g.p.Procs)
			hp[pid] = append(hp[pid], g.unbuffered(&st, pid)...)
		}
	}
	for pid := range g.p.Procs {
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
	g.p.steps = append(g.p.steps, st)
	return len(g.p.steps) - 1
}

// clears reports whether processes begin the coming superstep by clearing elements that were not
// kept. No other process may access these then.
func (g *generator) clears() bool {
	return g.keeping && len(g.p.steps) > 0 && g.p.steps[len(g.p.steps)-1].end.what == endStage
}

// commonOps returns the ops that all processes make in the same order.
func (g *generator) commonOps() []op {
	var all []op
	for g.chance(45) || len(g.p.steps) == 0 && len(all) < 3 {
		switch k := g.IntN(10); {
		case k < 4:
			all = append(all, g.registration())
		case k < 6 && len(g.p.blocks) < maxBlocks:
			b := g.addBlock(true)
			g.p.areas = append(g.p.areas, area{b, make([]int, g.p.Procs), g.p.blocks[b].count})
			g.poppable = append(g.poppable, len(g.p.areas)-1)
			all = append(all, op{what: alloc, area: len(g.p.areas) - 1})
		case k < 8 && len(g.poppable) > 0:
			i := g.IntN(len(g.poppable))
			all = append(all, op{what: pop, area: g.poppable[i]})
			g.poppable = slices.Delete(g.poppable, i, i+1)
		case len(g.p.queues) < 5:
			g.p.queues = append(g.p.queues, g.IntN(len(mailKinds)))
			all = append(all, op{what: makeQueue, queue: len(g.p.queues) - 1})
		}
	}
	return all
}

// registration registers a block or a part of it, possibly once more.
func (g *generator) registration() op {
	b := g.IntN(len(g.p.blocks))
	for g.p.blocks[b].fresh {
		b = g.IntN(len(g.p.blocks))
	}
	a := area{b, make([]int, g.p.Procs), slices.Clone(g.p.blocks[b].count)}
	if g.chance(40) {
		for pid, n := range g.p.blocks[b].count {
			a.lo[pid], a.hi[pid] = g.rangeOf(n)
		}
	}
	g.p.areas = append(g.p.areas, a)
	g.poppable = append(g.poppable, len(g.p.areas)-1)
	return op{what: register, area: len(g.p.areas) - 1}
}

// rangeOf picks a range of n elements.
func (g *generator) rangeOf(n int) (lo, hi int) {
	if g.chance(20) {
		return 0, n
	}
	lo, hi = g.IntN(n+1), g.IntN(n+1)
	return min(lo, hi), max(lo, hi)
}

// settle puts the registrations and Pops of a superstep into effect.
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
	g.madeUpTo = len(g.p.queues)
}

// interleave merges two sequences at random.
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

// someOps returns one op of process pid, or a few that belong together. It
// returns none if the op drawn is not possible.
func (g *generator) someOps(st *step, pid int) []op {
	switch k := g.IntN(100); {
	case k < 22:
		return g.puts(st, pid)
	case k < 30:
		return g.loops(st, pid)
	case k < 50:
		return g.transfer(st, pid, op{what: get})
	case k < 65 && g.madeUpTo > 0:
		return g.sends(st, pid)
	case k < 78 && g.madeUpTo > 0:
		return []op{{what: receive, queue: g.IntN(g.madeUpTo), n: 1 + g.IntN(6), at: g.IntN(12), how: g.IntN(waysToReceive)}}
	case k < 82:
		return g.keeps(pid)
	case k < 84:
		return []op{{what: ask, pid: g.IntN(g.p.Procs), how: g.IntN(requests), fill: g.Uint64()}}
	case k < 94:
		o := op{what: write, block: g.IntN(len(g.p.blocks)), fill: g.Uint64()}
		return g.local(st, pid, o, g.IntN(2000))
	default:
		return []op{{what: nothing, area: g.IntN(len(g.p.areas)+1) - 1, pid: g.IntN(40) - 20, at: g.IntN(4000) - 2000, how: g.IntN(4)}}
	}
}

// puts makes a Put, and sometimes more Puts that continue where it ended.
func (g *generator) puts(st *step, pid int) []op {
	all := g.transfer(st, pid, op{what: put})
	for len(all) > 0 && g.chance(40) {
		next := all[len(all)-1]
		next.at += next.n
		if g.chance(50) {
			next.n = g.IntN(next.n + 3)
		}
		next.block, next.fill = -1, g.Uint64()
		if next.at+next.n > g.p.areas[next.area].count(next.pid) || !g.free(st, pid, &next) {
			break
		}
		all = append(all, next)
	}
	return all
}

// loops makes Puts and messages of one value each, as loops in a program do: of one
// kind, or of up to three by turns.
func (g *generator) loops(st *step, pid int) (all []op) {
	for range 1 + g.IntN(3) {
		var loop op
		if g.madeUpTo > 0 && g.chance(40) {
			loop = op{what: send, queue: g.IntN(g.madeUpTo), pid: g.IntN(g.p.Procs), block: -1, n: g.IntN(100), fill: g.Uint64(), each: true}
		} else if puts := g.transfer(st, pid, op{what: put, each: true}); len(puts) > 0 {
			loop = puts[0]
		}
		var parts []op
		for at := 0; at < loop.n; {
			part := loop
			part.n = min(loop.n-at, 1+g.IntN(40))
			part.at, part.local, part.fill = loop.at+at, loop.local+at, loop.fill+uint64(at)
			parts = append(parts, part)
			at += part.n
		}
		all = g.interleave(all, parts)
	}
	return all
}

// keeps returns a Keep of a random part of an area.
func (g *generator) keeps(pid int) []op {
	if len(g.usable) == 0 {
		return nil
	}
	a := g.usable[g.IntN(len(g.usable))]
	g.keeping = true
	return []op{{what: keep, area: a, n: g.IntN(g.p.areas[a].count(pid) + 1)}}
}

// transfer completes an op that moves elements between an area and the
// process's memory.
func (g *generator) transfer(st *step, pid int, o op) []op {
	if len(g.usable) == 0 {
		return nil
	}
	o.area, o.pid, o.block, o.fill = g.usable[g.IntN(len(g.usable))], g.IntN(g.p.Procs), -1, g.Uint64()
	lo, hi := g.rangeOf(g.p.areas[o.area].count(o.pid))
	o.at, o.n = lo, hi-lo
	if g.chance(30) {
		o.n = min(o.n, 1)
	}
	if (o.what == get || o.what == hpGet) || g.chance(25) {
		return g.local(st, pid, o, o.n)
	}
	if !g.free(st, pid, &o) {
		return nil
	}
	return []op{o}
}

// local completes an op with up to n elements of the process's own memory, of
// the area's type if the op has one.
func (g *generator) local(st *step, pid int, o op, n int) []op {
	if o.what != write {
		o.block = g.blockLike(g.p.areas[o.area].block)
	}
	b := g.p.blocks[o.block]
	if b.fresh && !g.alive(o.block) {
		return nil
	}
	o.n = min(n, b.count[pid])
	o.local = g.IntN(b.count[pid] - o.n + 1)
	if !g.free(st, pid, &o) {
		return nil
	}
	return []op{o}
}

// blockLike returns a block with the same element type.
func (g *generator) blockLike(b int) int {
	for range 10 {
		if other := g.IntN(len(g.p.blocks)); g.p.blocks[other].kind == g.p.blocks[b].kind {
			return other
		}
	}
	return b
}

// alive reports whether the memory of an Alloc exists in the whole superstep.
func (g *generator) alive(b int) bool {
	for _, a := range g.usable {
		if g.p.areas[a].block == b {
			return true
		}
	}
	return false
}

// sends makes messages from one process to another.
func (g *generator) sends(st *step, pid int) []op {
	o := op{what: send, queue: g.IntN(g.madeUpTo), pid: g.IntN(g.p.Procs), block: -1}
	var all []op
	for range 1 + g.IntN(4) {
		o.n, o.fill = g.IntN(12), g.Uint64()
		switch g.IntN(12) {
		case 0:
			o.n = g.IntN(2000)
		case 1, 2:
			o.n = 0
		}
		all = append(all, o)
		if g.chance(50) {
			o.pid = g.IntN(g.p.Procs)
		}
	}
	return all
}

// unbuffered makes an HPPut or HPGet, and reserves the memory that it reads and writes.
func (g *generator) unbuffered(st *step, pid int) []op {
	o := op{what: hpPut}
	if g.chance(50) {
		o.what = hpGet
	}
	all := g.transfer(st, pid, o)
	if len(all) == 0 {
		return nil
	}
	far, near, two := g.spans(pid, &all[0])
	if two && all[0].pid == pid && far.meets(near) {
		return nil
	}
	if far.lo < far.hi {
		st.hp[all[0].pid] = append(st.hp[all[0].pid], far)
	}
	if two && near.lo < near.hi {
		st.hp[pid] = append(st.hp[pid], near)
	}
	return all
}

// free reports whether an op avoids the memory that HPPuts and HPGets access.
func (g *generator) free(st *step, pid int, o *op) bool {
	far, near, two := g.spans(pid, o)
	if o.what != write && meetsAny(far, st.hp[o.pid]) {
		return false
	}
	return !two || !meetsAny(near, st.hp[pid])
}

// spans returns the bytes that an op accesses: in the area of the other process,
// and if two is true in its own process's memory.
func (g *generator) spans(pid int, o *op) (far, near span, two bool) {
	if o.what != write {
		a := &g.p.areas[o.area]
		size := kinds[g.p.blocks[a.block].kind].size()
		far = span{a.block, (a.lo[o.pid] + o.at) * size, (a.lo[o.pid] + o.at + o.n) * size}
	}
	if o.block < 0 {
		return far, near, false
	}
	size := kinds[g.p.blocks[o.block].kind].size()
	return far, span{o.block, o.local * size, (o.local + o.n) * size}, true
}
