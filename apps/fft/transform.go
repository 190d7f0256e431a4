package main

import (
	"github.com/migbsp/migbsp/apps/fft/dft"
	"github.com/migbsp/migbsp/bsplib"
)

// transform has the tables and buffers of a process for transforms. It does not change, so
// it does not move: each rank makes it again.
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

// pack multiplies transformed numbers by roots of unity and a scale, and puts numbers for
// the same process beside each other: in packets or, if it is this one, at their final
// index in x.
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
