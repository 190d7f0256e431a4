package mpi

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// control is the lane of the engine's own small collectives.
const control = Lanes

// localWorld is what the in-process ranks of one communicator have in common.
type localWorld struct {
	barrier barrier
	ranks   []*local

	mu     sync.Mutex
	shared map[Ref][]byte
	lastID Ref
	splits map[splitKey]*localWorld
	mail   []mailbox // of pair (src, dst) at src*size+dst
}

// local is a rank of this process. Its outgoing buffers are heap memory that
// the destination reads in place.
type local struct {
	world *localWorld
	rank  int
	party party
	lanes [Lanes + 1]localLane
	split int // number of Split calls so far
	_     [64]byte
}

type localLane struct {
	Lane
	sets  [2][]Buffer // filled in turn; a set is used again two exchanges later
	count uint
}

// InProcess returns the Comms of n ranks in this process, one for each of n
// goroutines.
func InProcess(n int) []Comm {
	if n < 1 {
		panic(fmt.Sprintf("mpi: InProcess(%d): at least one rank is needed", n))
	}
	w := newWorld(n, new(outcome))
	comms := make([]Comm, n)
	for i, r := range w.ranks {
		comms[i] = r
	}
	return comms
}

func newWorld(n int, out *outcome) *localWorld {
	w := &localWorld{
		shared: make(map[Ref][]byte),
		splits: make(map[splitKey]*localWorld),
		mail:   make([]mailbox, n*n),
		ranks:  make([]*local, n),
	}
	w.barrier.init(n, out)
	for i := range w.ranks {
		r := &local{world: w, rank: i}
		r.party.init(&w.barrier, i)
		for k := range r.lanes {
			l := &r.lanes[k]
			l.number = k
			l.In = make([][]byte, n)
			for s := range l.sets {
				l.sets[s] = make([]Buffer, n)
				for d := range l.sets[s] {
					l.sets[s][d].memory = heap{}
				}
			}
			l.Out = l.sets[0]
		}
		w.ranks[i] = r
	}
	return w
}

func (r *local) Rank() int         { return r.rank }
func (r *local) Size() int         { return len(r.world.ranks) }
func (r *local) Node(rank int) int { return 0 }
func (r *local) Lane(k int) *Lane  { return &r.lanes[k].Lane }
func (r *local) Close() error      { return nil }
func (r *local) Abort(code int)    { r.world.barrier.abort() }

func (r *local) Engine() string {
	return fmt.Sprintf("in-process, %d ranks on %d cores", r.Size(), runtime.GOMAXPROCS(0))
}

// Exchange: see Comm. The parity of the sets makes the contract of Lane.In
// hold: a rank fills a set again only after an exchange on the lane that every
// reader of the set's last contents has entered.
func (r *local) Exchange(l *Lane, flags Flags) (Flags, error) {
	lane := &r.lanes[l.number]
	all, err := r.party.meet(flags)
	if err != nil {
		return 0, err
	}
	parity := lane.count & 1
	for src, peer := range r.world.ranks {
		lane.In[src] = peer.lanes[l.number].sets[parity][r.rank].Bytes
	}
	lane.count++
	lane.Out = lane.sets[lane.count&1]
	for d := range lane.Out {
		if b := &lane.Out[d]; len(b.Bytes) != 0 {
			b.Bytes = b.Bytes[:0]
		}
	}
	return all, nil
}

func (r *local) Alloc(n int) []byte { return heap{}.alloc(n) }

func (r *local) AllocDirty(n int) []byte { return heap{}.alloc(n) }

func (r *local) Share(mem []byte) Ref {
	w := r.world
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lastID++
	w.shared[w.lastID] = mem
	return w.lastID
}

func (r *local) Withdraw(ref Ref) {
	r.world.mu.Lock()
	defer r.world.mu.Unlock()
	delete(r.world.shared, ref)
}

func (r *local) Reach(rank int, ref Ref) unsafe.Pointer {
	r.world.mu.Lock()
	defer r.world.mu.Unlock()
	return unsafe.Pointer(unsafe.SliceData(r.world.shared[ref]))
}

// heap is ordinary memory.
type heap struct{}

const lineBytes = 64

// alloc returns n zeroed bytes that start at a cache line.
func (heap) alloc(n int) []byte {
	mem := make([]byte, n+lineBytes)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(mem)))) & (lineBytes - 1)
	return mem[skip : skip+n : skip+n]
}

func (h heap) resize(old []byte, capacity int) []byte {
	mem := h.alloc(capacity)
	return mem[:copy(mem, old)]
}
