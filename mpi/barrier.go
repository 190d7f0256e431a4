package mpi

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// barrier is where the goroutines of one communicator meet. Each writes its
// own words and reads the others'; nobody writes a word of somebody else.
type barrier struct {
	words    []words
	sleepers atomic.Int32
	mu       sync.Mutex
	wake     sync.Cond
	out      *outcome
}

// words holds a rank's last two arrivals, each epoch<<flagBits | flags, at
// epoch&1: a rank that has passed a meeting may arrive at the next one before
// the others have read its flags of this one.
type words struct {
	at [2]atomic.Uint64
	_  [112]byte
}

const flagBits = 16

// outcome is shared by a communicator and all that were split from it.
type outcome struct {
	aborted  atomic.Bool
	mu       sync.Mutex
	barriers []*barrier
}

func (b *barrier) init(n int, out *outcome) {
	b.words = make([]words, n)
	b.wake.L = &b.mu
	b.out = out
	out.mu.Lock()
	out.barriers = append(out.barriers, b)
	out.mu.Unlock()
}

// abort releases all who wait, here and in every related barrier.
func (b *barrier) abort() {
	b.out.aborted.Store(true)
	b.out.mu.Lock()
	defer b.out.mu.Unlock()
	for _, each := range b.out.barriers {
		each.wakeAll()
	}
}

func (b *barrier) wakeAll() {
	b.mu.Lock()
	b.wake.Broadcast()
	b.mu.Unlock()
}

// party is one rank's side of a barrier.
type party struct {
	barrier *barrier
	rank    int
	epoch   uint64
	spins   int
	yield   time.Duration // how long to give way before sleeping
}

// Waiting costs least by loads of the awaited word, where the core has nothing
// else to do; then by letting other goroutines run; then by sleeping.
const (
	spinLoads  = 300
	longYield  = time.Millisecond
	shortYield = 20 * time.Microsecond
)

func (p *party) init(b *barrier, rank int) {
	*p = party{barrier: b, rank: rank, yield: longYield}
	if len(b.words) <= runtime.GOMAXPROCS(0) {
		p.spins = spinLoads
	}
}

// meet returns when every rank has called it as often as this one, with the
// OR of the flags they gave.
func (p *party) meet(flags Flags) (Flags, error) {
	p.epoch++
	epoch, slot := p.epoch, p.epoch&1
	b := p.barrier
	b.words[p.rank].at[slot].Store(epoch<<flagBits | uint64(flags))
	last := true
	for i := range b.words {
		word := &b.words[i].at[slot]
		v := word.Load()
		if v>>flagBits != epoch {
			last = false
			if v = p.await(word); v>>flagBits != epoch {
				return 0, ErrAborted
			}
		}
		flags |= Flags(v)
	}
	if last && b.sleepers.Load() > 0 {
		b.wakeAll()
	}
	if b.out.aborted.Load() {
		return 0, ErrAborted
	}
	return flags, nil
}

// await returns the word once it is of this epoch, or any value after an abort.
func (p *party) await(word *atomic.Uint64) uint64 {
	for range p.spins {
		if v := word.Load(); v>>flagBits == p.epoch {
			return v
		}
	}
	aborted := &p.barrier.out.aborted
	for start := time.Now(); time.Since(start) < p.yield; {
		runtime.Gosched()
		if v := word.Load(); v>>flagBits == p.epoch || aborted.Load() {
			p.yield = min(p.yield*2, longYield)
			return v
		}
	}
	p.yield = shortYield
	return p.sleep(word)
}

// sleep relies on the last rank to arrive, which finds all others arrived and
// then looks for sleepers; a sleeper counts itself before its last look.
func (p *party) sleep(word *atomic.Uint64) uint64 {
	b := p.barrier
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sleepers.Add(1)
	defer b.sleepers.Add(-1)
	for {
		if v := word.Load(); v>>flagBits == p.epoch || b.out.aborted.Load() {
			return v
		}
		b.wake.Wait()
	}
}
