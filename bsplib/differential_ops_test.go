package bsplib_test

// someOps makes one op of process pid, or a few that belong together, none if
// what came to mind is not possible.
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
		return []op{{what: ask, pid: g.IntN(g.procs), how: g.IntN(requests), fill: g.Uint64()}}
	case k < 94:
		o := op{what: write, block: g.IntN(len(g.blocks)), fill: g.Uint64()}
		return g.local(st, pid, o, g.IntN(2000))
	default:
		return []op{{what: nothing, area: g.IntN(len(g.areas)+1) - 1, pid: g.IntN(40) - 20, at: g.IntN(4000) - 2000, how: g.IntN(4)}}
	}
}

// puts makes a Put; sometimes more of them that go on where it ended.
func (g *generator) puts(st *step, pid int) []op {
	all := g.transfer(st, pid, op{what: put})
	for len(all) > 0 && g.chance(40) {
		next := all[len(all)-1]
		next.at += next.n
		if g.chance(50) {
			next.n = g.IntN(next.n + 3)
		}
		next.block, next.fill = -1, g.Uint64()
		if next.at+next.n > g.areas[next.area].count(next.pid) || !g.free(st, pid, &next) {
			break
		}
		all = append(all, next)
	}
	return all
}

// loops are Puts and messages of one value each, as a program makes them in loops: of one
// kind, or of up to three by turns.
func (g *generator) loops(st *step, pid int) (all []op) {
	for range 1 + g.IntN(3) {
		var loop op
		if g.madeUpTo > 0 && g.chance(40) {
			loop = op{what: send, queue: g.IntN(g.madeUpTo), pid: g.IntN(g.procs), block: -1, n: g.IntN(100), fill: g.Uint64(), each: true}
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

// keeps says how much of an area is to be kept.
func (g *generator) keeps(pid int) []op {
	if len(g.usable) == 0 {
		return nil
	}
	a := g.usable[g.IntN(len(g.usable))]
	g.keeping = true
	return []op{{what: keep, area: a, n: g.IntN(g.areas[a].count(pid) + 1)}}
}

// transfer completes an op that moves elements between an area and the
// process's memory.
func (g *generator) transfer(st *step, pid int, o op) []op {
	if len(g.usable) == 0 {
		return nil
	}
	o.area, o.pid, o.block, o.fill = g.usable[g.IntN(len(g.usable))], g.IntN(g.procs), -1, g.Uint64()
	lo, hi := g.rangeOf(g.areas[o.area].count(o.pid))
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
		o.block = g.blockLike(g.areas[o.area].block)
	}
	b := g.blocks[o.block]
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

// blockLike is a block with the same type of elements.
func (g *generator) blockLike(b int) int {
	for range 10 {
		if other := g.IntN(len(g.blocks)); g.blocks[other].kind == g.blocks[b].kind {
			return other
		}
	}
	return b
}

// alive tells whether the memory of an Alloc exists in the whole superstep.
func (g *generator) alive(b int) bool {
	for _, a := range g.usable {
		if g.areas[a].block == b {
			return true
		}
	}
	return false
}

// sends makes messages from one process to another.
func (g *generator) sends(st *step, pid int) []op {
	o := op{what: send, queue: g.IntN(g.madeUpTo), pid: g.IntN(g.procs), block: -1}
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
			o.pid = g.IntN(g.procs)
		}
	}
	return all
}

// unbuffered makes an HPPut or HPGet, and reserves what it reads and writes.
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

// free tells whether an op stays clear of what HPPuts and HPGets access.
func (g *generator) free(st *step, pid int, o *op) bool {
	far, near, two := g.spans(pid, o)
	if o.what != write && meetsAny(far, st.hp[o.pid]) {
		return false
	}
	return !two || !meetsAny(near, st.hp[pid])
}

// spans are the bytes that an op accesses: in the area of the other process,
// and if two is true in memory of its own.
func (g *generator) spans(pid int, o *op) (far, near span, two bool) {
	if o.what != write {
		a := &g.areas[o.area]
		size := kinds[g.blocks[a.block].kind].size()
		far = span{a.block, (a.lo[o.pid] + o.at) * size, (a.lo[o.pid] + o.at + o.n) * size}
	}
	if o.block < 0 {
		return far, near, false
	}
	size := kinds[g.blocks[o.block].kind].size()
	return far, span{o.block, o.local * size, (o.local + o.n) * size}, true
}
