package main

import "github.com/migbsp/migbsp/internal/meter"

// A step is one superstep of n operations, Sync included; every process calls
// it with the same n.
type step func(b *bench, n int)

// time repeats a step for about the given seconds. Collective.
func (b *bench) time(do step, n int, seconds float64) meter.Times {
	return meter.Time(b.Proc, seconds, b.batch(do, n))
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
		b.dst.Put(b.right, 0, b.from[:n]...)
	}
	b.Sync()
}

func (b *bench) hpPut(n int) {
	if b.Pid() == 0 {
		b.dst.HPPut(b.right, 0, b.from[:n]...)
	}
	b.Sync()
}

func (b *bench) putBoth(n int) {
	b.dst.Put(b.right, 0, b.from[:n]...)
	b.Sync()
}

func (b *bench) hpPutBoth(n int) {
	b.dst.HPPut(b.right, 0, b.from[:n]...)
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
