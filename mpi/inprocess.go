package mpi

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/migbsp/migbsp/internal/fresh"
)

// localWorld holds the state that the in-process ranks share.
type localWorld struct {
	barrier barrier
	ranks   []*local
	engine  Engine // without Present

	recalls recalls // of ranks that take no part; under the barrier's mu
}

// local is a rank of this process. Its outgoing buffers are heap memory that the destination reads
// directly.
type local struct {
	world *localWorld
	rank  int
	side  barrierSide
	lanes [Lanes]localLane
	box   letterbox
	attendance
	_ [64]byte
}

// localLane is a Lane with its two sets of outgoing buffers, by destination. In exchange k all
// ranks send the set at k&1: each reads, from the others' sets, the buffers addressed to it. The
// owner fills that set again from the end of exchange k+1 on, which every reader has entered.
type localLane struct {
	Lane
	sets  [2][]Buffer
	count uint // of exchanges
	stale int  // exchanges to come that look at the buffers of all ranks
}

// init makes the lane of that number, of one of n ranks.
func (l *localLane) init(number, n int) {
	l.number, l.In = number, make([][]byte, n)
	for s := range l.sets {
		l.sets[s] = make([]Buffer, n)
		for d := range l.sets[s] {
			l.sets[s][d].memory = heap{}
		}
	}
	l.Out = l.sets[0]
}

// InProcess returns the Comms of n ranks in this process, one for each of n
// goroutines.
func InProcess(n int) []Comm {
	if n < 1 {
		panic(fmt.Sprintf("mpi: InProcess(%d): at least one rank is needed", n))
	}
	w := &localWorld{ranks: make([]*local, n)}
	w.recalls.left = make([]int, n)
	w.barrier.init(n)
	w.engine = Engine{Text: fmt.Sprintf("in-process, %d ranks on %d cores", n, runtime.GOMAXPROCS(0)), Nodes: make([]int, n)}
	comms := make([]Comm, n)
	for i := range w.ranks {
		r := &local{world: w, rank: i}
		r.side.init(&w.barrier, i)
		r.box.arrived = make(chan struct{}, 1)
		for k := range r.lanes {
			r.lanes[k].init(k, n)
		}
		w.ranks[i], comms[i] = r, r
	}
	return comms
}

// Rank implements Comm, as do the other exported methods.
func (r *local) Rank() int        { return r.rank }
func (r *local) Size() int        { return len(r.world.ranks) }
func (r *local) Lane(k int) *Lane { return &r.lanes[k].Lane }
func (r *local) Close() error     { return nil }
func (r *local) Abort(code int)   { r.world.barrier.abort() }

// KeepThread declares that the goroutine of an in-process rank has called runtime.LockOSThread, and
// will not unlock while it uses the Comm. A locked goroutine that calls runtime.Gosched waits for
// two switches between threads, 20 us, so the rank yields its core to other threads instead.
// KeepThread has no effect on other Comms.
func KeepThread(c Comm) {
	if r, ok := c.(*local); ok {
		r.side.locked = true
	}
}

func (r *local) Engine() Engine {
	e := r.world.engine
	e.Present = r.present
	return e
}

// Exchange costs a meeting at the barrier and a slice header for each rank: no byte
// is copied.
func (r *local) Exchange(l *Lane, flags Flags) (Flags, error) {
	lane := &r.lanes[l.number]
	if r.present != nil {
		if r.parting != nil {
			if err := r.part(); err != nil {
				return 0, err
			}
		}
	}
	all, err := r.side.meet(flags)
	if err != nil {
		return 0, err
	}
	parity := lane.count & 1
	if lane.stale > 0 {
		clear(lane.In)
	}
	for _, src := range r.side.among {
		lane.In[src] = r.world.ranks[src].lanes[l.number].sets[parity][r.rank].Bytes
	}
	lane.count++
	lane.Out = lane.sets[lane.count&1]
	if lane.stale > 0 {
		lane.stale--
		lane.empty()
		return all, nil
	}
	for _, d := range r.side.among {
		if b := &lane.Out[d]; len(b.Bytes) != 0 {
			b.Bytes = b.Bytes[:0]
		}
	}
	return all, nil
}

// empty makes the buffers for all ranks empty.
func (l *localLane) empty() {
	for d := range l.Out {
		if b := &l.Out[d]; len(b.Bytes) != 0 {
			b.Bytes = b.Bytes[:0]
		}
	}
}

func (r *local) Alloc(n int, dirty bool) []byte { return fromHeap(n, dirty) }

func fromHeap(n int, dirty bool) []byte {
	if dirty {
		return fresh.Bytes(n)
	}
	return fresh.Zeroed(n)
}

// Share names memory by its address, which the caller keeps alive. The memory does not move: an
// argument of an interface method is allocated on the heap.
func (r *local) Share(mem []byte) Ref { return Ref(uintptr(unsafe.Pointer(unsafe.SliceData(mem)))) }

//go:nocheckptr
func (r *local) Reach(rank int, ref Ref) unsafe.Pointer { return unsafe.Add(nil, uintptr(ref)) }

func (r *local) Copy(int, Ref, int, []byte, bool) error { return errNoCopy }
