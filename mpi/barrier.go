package mpi

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// barrier synchronizes the ranks of a program. It has no counter that all of them write: a rank
// stores its arrival in words of its own, cache lines apart, and loads the other ranks'. An arrival
// carries the number of the meeting, the epoch, and the rank's flags.
//
// Ownership of the memory:
//
//   - Only rank r writes arrivals[r].
//   - At meeting e it writes the words at e&1. A rank that has passed e may arrive at
//     e+1 before the others have read its flags of e: these are in the other word.
//     It cannot arrive at e+2 before all have arrived at e+1, by which time they
//     have read the words of e.
//   - sleepers, mu and wake are touched by ranks that sleep, and by the last to
//     arrive if sleepers is not 0.
//
// A rank waits for one word at a time, in three steps, each cheaper for the others and dearer for
// itself: loads of the word, while a core is free for every rank; runtime.Gosched, which lets other
// goroutines run, between rounds of such loads, within a time budget; then sleep (see sleep for why
// no wake is lost). A goroutine that is locked to its thread yields its core instead of calling
// Gosched (KeepThread). Measured on 2 cores, minima:
//
//   - An empty superstep of bsplib takes 137 ns at 2 processes and 2.1 us at 64, whose
//     coroutines need a barrier among the workers only.
//   - Rejected: a goroutine per process, each parked here: 9 us at 64 processes. A
//     pthread_barrier in C takes 152 us.
//   - Rejected: to sleep at once. Supersteps of 2 to 200 us lose all parallelism, as a
//     wake takes longer than the work that it waits for.
//   - Rejected: loads without an end. Where ranks or other programs share cores, the
//     time goes into loads while the awaited rank has no core.
//   - Rejected: few loads, then Gosched again and again. On 16 cores the ranks then wait for
//     the lock of Go's scheduler: 70 us for an empty superstep that takes 1.7 us.
type barrier struct {
	arrivals []arrivals
	sleepers atomic.Int32
	mu       sync.Mutex
	wake     sync.Cond // of an arrival of all, of an abort
	recall   sync.Cond // of ranks that leave or are called back, of an abort
	aborted  atomic.Bool
	done     chan struct{} // closed when the run is aborted
}

// arrivals holds a rank's last two arrivals, each epoch<<flagBits | manyBit | flags, at epoch&1. If
// manyBit is set, the flags did not fit and all of them are in many. arrivals fills two cache
// lines: hardware fetches lines in pairs.
type arrivals struct {
	at   [2]atomic.Uint64
	_    [48]byte
	many [2]Flags // in the other line, so that a rank that waits for at does not take that from its owner
	_    [48]byte
}

const (
	manyBit  = 1 << FewFlags
	flagBits = FewFlags + 1
)

func (b *barrier) init(n int) {
	b.arrivals = make([]arrivals, n)
	b.wake.L, b.recall.L = &b.mu, &b.mu
	b.done = make(chan struct{})
}

// abort makes every rank that waits, and every rank that comes to wait, return
// ErrAborted.
func (b *barrier) abort() {
	if !b.aborted.Swap(true) {
		close(b.done)
	}
	b.wakeAll()
	b.recall.Broadcast()
}

func (b *barrier) wakeAll() {
	b.mu.Lock()
	b.wake.Broadcast()
	b.mu.Unlock()
}

// barrierSide is one rank's side of a barrier.
type barrierSide struct {
	barrier *barrier
	rank    int
	among   []int         // the ranks that meet
	epoch   uint64        // of the last meeting that this rank has come to
	spins   int           // loads before each Gosched: 0 where ranks share cores
	yield   time.Duration // budget of Gosched before the next sleep
	locked  bool          // the rank's goroutine is locked to its thread
}

const (
	// Between two calls of Gosched lie pairLoads of the word for each pair of ranks that meet, up to
	// mostLoads, which take 6 us. The loads are of a line in the core's own cache until it
	// changes. Two ranks that other programs have left one core to come to it by
	// Gosched, so that they call it soon; of many ranks, one at a time can be in the call.
	pairLoads = 150
	mostLoads = 20_000
	// longYield is the budget while waits end within it. It covers supersteps of 2 to 200 us
	// several times over.
	longYield = time.Millisecond
	// shortYield is the budget after a wait that went beyond it: such waits tend to
	// follow each other. Each wait that ends within the budget doubles it again.
	shortYield = 20 * time.Microsecond
)

func (s *barrierSide) init(b *barrier, rank int) {
	*s = barrierSide{barrier: b, rank: rank, yield: longYield}
	s.attend(allRanks(len(b.arrivals)))
}

// meet returns, when every participating rank has made its call for this meeting, the OR of their
// flags. Writes that a rank made before its call are visible to every rank whose call has returned:
// arrivals are atomic stores and loads.
func (s *barrierSide) meet(flags Flags) (Flags, error) {
	s.epoch++
	epoch, slot := s.epoch, s.epoch&1
	b := s.barrier
	all := epoch<<flagBits | uint64(flags&fewFlags)
	if flags > fewFlags {
		b.arrivals[s.rank].many[slot] = flags
		all |= manyBit
	}
	b.arrivals[s.rank].at[slot].Store(all)
	last := true
	for _, i := range s.among {
		word := &b.arrivals[i].at[slot]
		v := word.Load()
		if v>>flagBits != epoch {
			last = false
			if v = s.await(word); v>>flagBits != epoch {
				return 0, ErrAborted
			}
		}
		all |= v
	}
	if last && b.sleepers.Load() > 0 {
		b.wakeAll()
	}
	if b.aborted.Load() {
		return 0, ErrAborted
	}
	if all&manyBit != 0 {
		return s.many(Flags(all) & fewFlags), nil
	}
	return Flags(all) & fewFlags, nil
}

// many adds the flags that did not go with arrivals at this meeting.
func (s *barrierSide) many(flags Flags) Flags {
	slot := s.epoch & 1
	for _, i := range s.among {
		if a := &s.barrier.arrivals[i]; a.at[slot].Load()&manyBit != 0 {
			flags |= a.many[slot]
		}
	}
	return flags
}

// await returns the word once it is of this epoch, or any value after an abort: the
// caller looks at the epoch.
func (s *barrierSide) await(word *atomic.Uint64) uint64 {
	aborted := &s.barrier.aborted
	var start time.Time
	for {
		for range s.spins {
			if v := word.Load(); v>>flagBits == s.epoch {
				return v
			}
		}
		if start.IsZero() {
			start = time.Now()
		} else if time.Since(start) >= s.yield {
			break
		}
		if s.locked && s.spins > 0 {
			yieldThread()
		} else {
			runtime.Gosched()
		}
		if v := word.Load(); v>>flagBits == s.epoch || aborted.Load() {
			s.yield = min(s.yield*2, longYield)
			return v
		}
	}
	s.yield = shortYield
	return s.sleep(word)
}

// sleep waits until the last rank to arrive, or an abort, wakes this rank. No wake is lost: the
// sleeper counts itself before it loads the word, the last rank stores its word before it loads the
// count, and both are sequentially consistent, so at least one of them sees the other's store.
// Between load and Wait the sleeper holds mu, which wakeAll takes. The loop is needed, as a wake
// may be of an earlier meeting.
func (s *barrierSide) sleep(word *atomic.Uint64) uint64 {
	b := s.barrier
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sleepers.Add(1)
	defer b.sleepers.Add(-1)
	for {
		if v := word.Load(); v>>flagBits == s.epoch || b.aborted.Load() {
			return v
		}
		b.wake.Wait()
	}
}

// attend sets the ranks that meet. The rank spins if each of them has a core to itself.
func (s *barrierSide) attend(ranks []int) {
	s.among, s.spins = ranks, 0
	if len(ranks) <= runtime.GOMAXPROCS(0) {
		s.spins = min(pairLoads*len(ranks)*len(ranks)/2, mostLoads)
	}
}

func allRanks(n int) []int {
	ranks := make([]int, n)
	for r := range ranks {
		ranks[r] = r
	}
	return ranks
}
