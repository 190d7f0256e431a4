package main

import (
	"github.com/migbsp/migbsp/apps/fft/dft"
	"github.com/migbsp/migbsp/bsplib"
)

// transform contains the tables and buffers of a process for transforms. It does not change, so it
// does not move: each rank makes it again.
type transform struct {
	*bsplib.Proc
	n      int
	rounds []round // none for a process without numbers
	all    int     // number of rounds, on processes that have some

	plans   [2]map[int]*dft.Plan // by length; forward, back
	roots   [2][]dft.Roots       // by round
	own     []complex128         // transformed numbers
	packets []complex128         // numbers that are sent
}

func newTransform(b *bsplib.Proc, n int) *transform {
	t := &transform{Proc: b, n: n}
	parts := sharers(b.NProcs(), n)
	t.all = len(rounds(n, parts, 0))
	if b.Pid() >= parts {
		return t
	}
	t.rounds = rounds(n, parts, b.Pid())
	t.own, t.packets = make([]complex128, n/parts), make([]complex128, n/parts)
	for way := range t.plans {
		t.plans[way] = make(map[int]*dft.Plan)
		for _, r := range t.rounds {
			t.roots[way] = append(t.roots[way], dft.RootsOf(r.length, way == 1))
			if t.plans[way][r.local] == nil {
				t.plans[way][r.local] = dft.New(r.local, way == 1)
			}
		}
	}
	return t
}

// forward replaces the vector in x by its transform, back by its inverse.
//
// BSP cost, for up to sqrt(n) processes: 5 n/p log2 n operations, 2 n/p * g + 2 l, g for a word of 8 bytes.
func (t *transform) forward(x bsplib.Area[complex128]) { t.run(x, 0, 1) }
func (t *transform) back(x bsplib.Area[complex128])    { t.run(x, 1, 1/float64(t.n)) }

func (t *transform) run(x bsplib.Area[complex128], way int, scale float64) {
	for i := range t.all {
		if t.rounds == nil { // this process only waits for the others
			if i+1 < t.all {
				t.Sync()
				t.Sync()
			}
			continue
		}
		r := t.rounds[i]
		plan := t.plans[way][r.local]
		if i > 0 && r.size == 1 {
			plan.Columns(x.Slice(), r.columns)
			return
		}
		plan.Transform(x.Slice(), t.own)
		if r.size == 1 {
			scaled(x.Slice(), t.own, scale)
			return
		}
		t.pack(r, x.Slice(), &t.roots[way][i], scale)
		scale = 1
		t.Sync()
		t.send(r, x)
		t.Sync()
	}
}

// scaled makes y = a x.
func scaled(y, x []complex128, a float64) {
	for i, x := range x {
		y[i] = complex(a*real(x), a*imag(x))
	}
}

// pack multiplies transformed numbers by roots of unity and a scale, and groups numbers by
// destination: in packets or, for this process itself, at their final index in x.
func (t *transform) pack(r round, x []complex128, roots *dft.Roots, scale float64) {
	roots.Turn(t.own, r.member, scale)
	const atOnce = 2048 // numbers that stay in the cache
	packets, each := r.packets(), r.each()
	some := max(1, atOnce/packets)
	for first := 0; first < each; first += some {
		for i := range packets {
			packet := t.packet(r, x, i)[first:min(each, first+some)]
			from := t.own[first*packets+i:]
			for j := range packet {
				packet[j] = from[j*packets]
			}
		}
	}
}

// packet returns the memory of packet i.
func (t *transform) packet(r round, x []complex128, i int) []complex128 {
	if each := r.each(); r.target(i) == t.Pid() {
		return x[r.at():][:each]
	} else {
		return t.packets[i*each : (i+1)*each]
	}
}

// send passes the packets on.
func (t *transform) send(r round, x bsplib.Area[complex128]) {
	for i := range r.packets() {
		if to := r.target(i); to != t.Pid() {
			x.HPPut(to, r.at(), t.packet(r, nil, i)...)
		}
	}
}

// round is the part of a transform between two redistributions, for one process. Groups of
// size processes transform a vector of length numbers each; member i has the numbers i,
// i+size, i+2*size and so on.
//
// It first transforms its own numbers, which gives a Y(k) for each k < local. If it is not alone, a
// transform of size numbers is left for each k, one from each member, and the group splits up so that
// each k has the processes it needs: another round. The output has the order of the input, cyclic
// over the processes.
type round struct {
	length, size int
	member       int // of the group, that this process is
	base, stride int // member i is process base + i*stride
	local        int // numbers that are transformed at once
	columns      int // and how often
}

// rounds returns all rounds of a process, for a vector of n numbers over parts processes.
func rounds(n, parts, pid int) (all []round) {
	r := round{length: n, size: parts, member: pid, stride: 1, local: n / parts, columns: 1}
	for {
		all = append(all, r)
		if r.size == 1 {
			return all
		}
		r = r.next()
	}
}

// shares returns the number of processes of each k in the next round, and each the number
// of k of a process: one of them is 1.
func (r round) shares() int { return max(1, r.size/r.local) }
func (r round) each() int   { return max(1, r.local/r.size) }

func (r round) next() round {
	n := round{length: r.size, size: r.shares(), columns: r.each(), base: r.base, stride: r.stride, member: r.member}
	n.local = n.length / n.size
	if n.size > 1 {
		n.base += r.member % r.local * r.stride
		n.stride *= r.local
		n.member = r.member / r.local
		return n
	}
	n.base, n.member = r.base+r.member*r.stride, 0
	return n
}

// target is the process that gets packet i, which has each() numbers, and at is their index
// there.
func (r round) target(i int) int {
	return r.base + r.stride*(i+r.local*(r.member%r.shares()))
}

func (r round) at() int { return r.member / r.shares() * r.each() }

// packets returns the number of packets.
func (r round) packets() int { return min(r.size, r.local) }
