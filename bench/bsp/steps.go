package main

import (
	"math"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/meter"
)

// A step is one superstep of n operations, Sync included; every process calls
// it with the same n.
type step func(b *bench, n int)

// meterSeconds is the longest that a meter measures short steps for.
const meterSeconds = 0.4

// time repeats a step for about the given seconds. Collective.
func (b *bench) time(do step, n int, seconds float64) meter.Times {
	turns := max(1, int(seconds/meterSeconds))
	best, medians := math.Inf(1), make([]float64, turns)
	for i := range medians {
		t := meter.Time(b.Proc, seconds/float64(turns), b.batch(do, n))
		best, medians[i] = min(best, t.Min), t.Median
	}
	return meter.Times{Min: best, Median: frame.Median(medians)}
}

func (b *bench) batch(do step, n int) meter.Batch {
	return func(steps int) {
		for range steps {
			do(b, n)
		}
	}
}

// Small operations go to, or come from, the right-hand neighbour, one element
// at a time, at successive offsets unless scattered. The large ones are of n
// elements; "one way" means that process 0 alone transfers.

func (b *bench) empty(int) { b.Sync() }

func (b *bench) put8(n int) {
	x, to, values := b.dst, b.right, b.from
	for i := range n {
		x.Put(to, i, values[i])
	}
	b.Sync()
}

func (b *bench) put8Random(n int) {
	x, to, values, where := b.dst, b.right, b.from, b.where
	for i := range n {
		x.Put(to, where[i], values[i])
	}
	b.Sync()
}

func (b *bench) get8(n int) {
	x, from, into := b.src, b.right, b.to
	for i := range n {
		x.Get(from, i, into[i:i+1])
	}
	b.Sync()
}

func (b *bench) send8Unread(n int) {
	q, to, values := b.queue, b.right, b.from
	for i := range n {
		q.Send(to, int32(i), values[i])
	}
	b.Sync()
}

func (b *bench) send8(n int) {
	b.send8Unread(n)
	into := b.to
	for tag, values := range b.queue.All() {
		into[tag] = values[0]
	}
}

func (b *bench) put(n int) {
	if b.Pid() == 0 {
		b.dst.Put(b.right, b.at, b.from[:n]...)
	}
	b.Sync()
}

func (b *bench) hpPut(n int) {
	if b.Pid() == 0 {
		b.dst.HPPut(b.right, b.at, b.from[:n]...)
	}
	b.Sync()
}

func (b *bench) putBoth(n int) {
	b.dst.Put(b.right, b.at, b.from[:n]...)
	b.Sync()
}

func (b *bench) hpPutBoth(n int) {
	b.dst.HPPut(b.right, b.at, b.from[:n]...)
	b.Sync()
}

func (b *bench) get(n int) {
	if b.Pid() == 0 {
		b.src.Get(b.right, 0, b.to[:n])
	}
	b.Sync()
}

func (b *bench) hpGet(n int) {
	if b.Pid() == 0 {
		b.src.HPGet(b.right, 0, b.to[:n])
	}
	b.Sync()
}

func (b *bench) getBoth(n int) {
	b.src.Get(b.right, 0, b.to[:n])
	b.Sync()
}

func (b *bench) hpGetBoth(n int) {
	b.src.HPGet(b.right, 0, b.to[:n])
	b.Sync()
}

// In a halo exchange each process sends n elements to each neighbour on the torus: piece d of its
// area to neighbour d, where it becomes piece d. It reads the received pieces, so that the bytes
// reach its core within the same step. It does not read after an HPPut, when its neighbours may be
// at the next exchange.

func (b *bench) haloPut(n int) {
	for d, to := range b.around {
		b.dst.Put(to, b.at+d*n, b.from[d*n:(d+1)*n]...)
	}
	b.Sync()
	b.lookAt(b.to[:neighbours*n])
}

// lookAt reads one word of each cache line.
func (b *bench) lookAt(x []float64) {
	sum := 0.0
	for i := 0; i < len(x); i += 8 {
		sum += x[i]
	}
	b.seen = sum
}

func (b *bench) haloHPPut(n int) {
	for d, to := range b.around {
		b.dst.HPPut(to, b.at+d*n, b.from[d*n:(d+1)*n]...)
	}
	b.Sync()
}

func (b *bench) haloSend(n int) {
	for d, to := range b.around {
		b.queue.Send(to, int32(d), b.from[d*n:(d+1)*n]...)
	}
	b.Sync()
	for d, values := range b.queue.All() {
		copy(b.to[int(d)*n:], values)
	}
}

const neighbours = 4

// torus returns the neighbours of a process, on its right and left, below and above it, on
// a torus of R x C processes, where R is the largest divisor of their number that is not
// above its root; with R = 1 they are twice the right and left ones. Data for neighbour d
// come from the receiver's neighbour d^1. bench/c has the same torus.
func torus(pid, procs int) [neighbours]int {
	rows := 1
	for r := 2; r*r <= procs; r++ {
		if procs%r == 0 {
			rows = r
		}
	}
	columns := procs / rows
	row, column := pid/columns, pid%columns
	right, left := row*columns+(column+1)%columns, row*columns+(column+columns-1)%columns
	if rows == 1 {
		return [neighbours]int{right, left, right, left}
	}
	return [neighbours]int{right, left, (row+1)%rows*columns + column, (row+rows-1)%rows*columns + column}
}

func (b *bench) broadcast(n int) { bsplib.Broadcast(b.Proc, 0, b.to[:n]) }

func (b *bench) allreduce(int) { b.to[0] = bsplib.Max(b.Proc, b.from[0]) }

// The maximum of equal data is the same data: so they stay the same from step to step.
func (b *bench) allreduceSlice(n int) { bsplib.MaxSlice(b.Proc, b.to[:n]) }

// prepareParts makes the data of allToAll, n elements for each process, and memory for the
// received ones.
func (b *bench) prepareParts(n int) {
	b.parts = make([][]float64, b.NProcs())
	for pid := range b.parts {
		b.parts[pid] = b.from[pid*n : (pid+1)*n]
	}
	b.came = make([][]float64, b.NProcs())
}

func (b *bench) allToAll(int) { bsplib.AllToAllInto(b.Proc, b.parts, b.came) }

func (b *bench) allToAllPut(n int) {
	at := b.Pid() * n
	for to, values := range b.parts {
		b.dst.Put(to, at, values...)
	}
	b.Sync()
}
