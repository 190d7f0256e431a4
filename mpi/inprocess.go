package mpi

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/migbsp/migbsp/internal/fresh"
)

// control is the lane of the engine's own small collectives.
const control = Lanes

// localWorld holds the state that the in-process ranks share.
type localWorld struct {
	barrier barrier
	ranks   []*local

	recalls recalls // of ranks that take no part; under the barrier's mu

	mail map[pair]*mailbox // under the barrier's mu
}

// pair are two ranks, one of which sends to the other.
type pair struct{ src, dst int }

// local is a rank of this process. Its outgoing buffers are heap memory that
// the destination reads in place.
type local struct {
	world *localWorld
	rank  int
	side  barrierSide
	lanes [Lanes + 1]localLane
	box   letterbox
	attendance
	_ [64]byte
}

// localLane is a Lane with its two sets of outgoing buffers, by destination. In
// exchange k all ranks send the set at k&1: each reads those of the others' sets
// that are for it. The owner fills that set again from the end of exchange k+1 on,
// which every reader has entered.
type localLane struct {
	Lane
	sets  [2][]Buffer
	count uint // of exchanges
	stale int  // exchanges to come that look at the buffers of all ranks
}

// of is the lane of one of n ranks. It has buffers from the first call on: the engine's own
// lane is seldom used.
func (l *localLane) of(n int) *Lane {
	if l.In == nil {
		l.In = make([][]byte, n)
		for s := range l.sets {
			l.sets[s] = make([]Buffer, n)
			for d := range l.sets[s] {
				l.sets[s][d].memory = heap{}
			}
		}
		l.Out = l.sets[l.count&1]
	}
	return &l.Lane
}

// InProcess returns the Comms of n ranks in this process, one for each of n
// goroutines.
func InProcess(n int) []Comm {
	if n < 1 {
		panic(fmt.Sprintf("mpi: InProcess(%d): at least one rank is needed", n))
	}
	w := &localWorld{mail: make(map[pair]*mailbox), ranks: make([]*local, n)}
	w.recalls.left = make([]int, n)
	w.barrier.init(n)
	comms := make([]Comm, n)
	for i := range w.ranks {
		r := &local{world: w, rank: i}
		r.side.init(&w.barrier, i)
		r.box.arrived = make(chan struct{}, 1)
		for k := range r.lanes {
			r.lanes[k].number = k
		}
		w.ranks[i], comms[i] = r, r
	}
	return comms
}

// Rank implements Comm, as do the other exported methods.
func (r *local) Rank() int         { return r.rank }
func (r *local) Size() int         { return len(r.world.ranks) }
func (r *local) Node(rank int) int { return 0 }
func (r *local) Lane(k int) *Lane  { return r.lanes[k].of(r.Size()) }
func (r *local) Close() error      { return nil }
func (r *local) Abort(code int)    { r.world.barrier.abort() }

func (r *local) Engine() string {
	return fmt.Sprintf("in-process, %d ranks on %d cores", r.Size(), runtime.GOMAXPROCS(0))
}

// Exchange costs a meeting at the barrier and a slice header for each rank: no byte
// is copied.
func (r *local) Exchange(l *Lane, flags Flags) (Flags, error) {
	lane := &r.lanes[l.number]
	if r.present != nil {
		if r.away {
			return 0, errAway
		}
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

func (r *local) Alloc(n int) []byte { return fresh.Zeroed(n) }

func (r *local) AllocDirty(n int) []byte { return fresh.Bytes(n) }

// Share names memory by its address, which the caller keeps alive. It does not move: what is
// given to a method of an interface lies on the heap.
func (r *local) Share(mem []byte) Ref { return Ref(uintptr(unsafe.Pointer(unsafe.SliceData(mem)))) }

func (r *local) Withdraw(ref Ref) {}

//go:nocheckptr
func (r *local) Reach(rank int, ref Ref) unsafe.Pointer { return unsafe.Add(nil, uintptr(ref)) }

func (r *local) Broadcast(root int, data []byte) error {
	if r.present != nil {
		return errSomeAway
	}
	l := r.Lane(control)
	if r.rank == root {
		for d := range l.Out {
			if d != root {
				put(&l.Out[d], data)
			}
		}
	}
	if _, err := r.Exchange(l, 0); err != nil {
		return err
	}
	if r.rank != root {
		copy(data, l.In[root])
	}
	return nil
}

func (r *local) Combine(op Op, v []int64) error {
	all, err := r.gather(v)
	if err != nil {
		return err
	}
	for i := range v {
		v[i] = int64(binary.NativeEndian.Uint64(all[0][8*i:]))
		for _, other := range all[1:] {
			v[i] = op.Apply(v[i], int64(binary.NativeEndian.Uint64(other[8*i:])))
		}
	}
	return nil
}

// gather returns all ranks' v, valid until the next control exchange.
func (r *local) gather(v []int64) ([][]byte, error) {
	if r.present != nil {
		return nil, errSomeAway
	}
	l := r.Lane(control)
	for d := range l.Out {
		b := &l.Out[d]
		b.Grow(8 * len(v))
		for _, x := range v {
			b.Bytes = binary.NativeEndian.AppendUint64(b.Bytes, uint64(x))
		}
	}
	_, err := r.Exchange(l, 0)
	return l.In, err
}

func put(b *Buffer, data []byte) {
	b.Grow(len(data))
	b.Bytes = append(b.Bytes, data...)
}

// mailbox holds the messages of one pair of ranks, in order. All mailboxes
// share the lock and the signal of its barrier, so that an abort wakes
// ranks that wait for mail too.
type mailbox struct{ queue [][]byte }

// mailbox is that of a pair; the caller holds the barrier's mu.
func (w *localWorld) mailbox(src, dst int) *mailbox {
	m := w.mail[pair{src, dst}]
	if m == nil {
		m = new(mailbox)
		w.mail[pair{src, dst}] = m
	}
	return m
}

// Send copies data and returns at once.
func (r *local) Send(dst int, data []byte) error {
	b := &r.world.barrier
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.aborted.Load() {
		return ErrAborted
	}
	m := r.world.mailbox(r.rank, dst)
	m.queue = append(m.queue, slices.Clone(data))
	b.wake.Broadcast()
	return nil
}

func (r *local) Recv(src int, data []byte) error {
	b := &r.world.barrier
	b.mu.Lock()
	defer b.mu.Unlock()
	m := r.world.mailbox(src, r.rank)
	for len(m.queue) == 0 {
		if b.aborted.Load() {
			return ErrAborted
		}
		b.wake.Wait()
	}
	if got := len(m.queue[0]); got != len(data) {
		return fmt.Errorf("mpi: rank %d receives %d bytes from rank %d, which sent %d", r.rank, len(data), src, got)
	}
	copy(data, m.queue[0])
	m.queue = m.queue[1:]
	return nil
}
