//go:build mpi && cgo

package mpi

import (
	"fmt"
	"unsafe"

	"github.com/migbsp/migbsp/mpi/rounds"
)

// worldLane is a Lane of an MPI process. Members of the board read its outgoing buffers directly;
// the relay sends payloads for other nodes from the same memory.
type worldLane struct {
	Lane
	out    []outgoing // by rank
	turn   []uint8    // by member: which of the peer's two buffers comes next
	filled []int      // sources whose In is not nil
	count  uint       // of exchanges
}

// init makes the lane of that number, for ranks that are members of a board or, where member
// is -1, are not.
func (l *worldLane) init(number int, a *arena, b *board, member []int) {
	n := len(member)
	l.number = number
	l.Out, l.In, l.out = make([]Buffer, n), make([][]byte, n), make([]outgoing, n)
	l.turn = make([]uint8, b.members)
	l.filled = make([]int, 0, n)
	for r := range l.out {
		l.out[r].arena = a
		if m := member[r]; m >= 0 {
			l.out[r].data = &b.slots[m].data[number]
		}
		l.Out[r].memory = &l.out[r]
	}
}

// outgoing is the memory of the buffer for one destination: one part of the arena in use and, for a
// member of the board, another that the destination may still be reading. They are swapped at each
// exchange that has data for the destination; both sides count these, so that the destination knows
// which of the two offsets in its slot applies.
//
// A part that grows while it is filled may move: its new offset is then written into the slot. The
// other part's offset does not change, and its memory is not given back, while the destination may
// read it (see Lane).
type outgoing struct {
	arena *arena
	data  *[2]uint64 // the slot's offsets of the two parts, nil if not a member
	turn  uint8      // the part in use
	spare []byte
}

// blockHead is the number of bytes in front of a payload that belong to the engine. For a member of
// the board the first 8 hold the length of the payload; for a rank of another node all of them are
// its record in a parcel (relay).
const blockHead = rounds.RecordBytes

func lengthOf(payload unsafe.Pointer) *int { return (*int)(unsafe.Add(payload, -blockHead)) }

func errNoRoom(n int, a *arena) error {
	return fmt.Errorf("mpi: out of memory: a message of %d bytes does not fit into the %d bytes of this rank", n, len(a.mem))
}

// resize implements memory.
func (o *outgoing) resize(old []byte, capacity int) []byte {
	a := o.arena
	need := roundUp(blockHead+capacity, lineBytes)
	if cap(old) > 0 {
		p := unsafe.Pointer(unsafe.SliceData(old))
		if place, _ := a.place(p); a.extents.extend(place-blockHead, need) {
			return unsafe.Slice((*byte)(p), need-blockHead)[:len(old)]
		}
	}
	place, _, ok := a.take(need)
	if !ok {
		panic(errNoRoom(capacity, a).Error())
	}
	mem := unsafe.Slice((*byte)(a.at(place+blockHead)), need-blockHead)[:len(old)]
	copy(mem, old)
	o.release(old)
	if o.data != nil {
		o.data[o.turn] = uint64(place + blockHead)
	}
	return mem
}

func (o *outgoing) release(part []byte) {
	if cap(part) > 0 {
		place, _ := o.arena.place(unsafe.Pointer(unsafe.SliceData(part)))
		o.arena.give(place - blockHead)
	}
}

// swap makes a full buffer an empty one.
func (o *outgoing) swap(b *Buffer) {
	*lengthOf(unsafe.Pointer(unsafe.SliceData(b.Bytes))) = len(b.Bytes)
	b.Bytes, o.spare = o.spare[:0], b.Bytes
	o.turn ^= 1
}

// post hands the buffers for members to the board, and reports whether there
// are any.
func (l *worldLane) post(b *board, ranks []int) (any bool) {
	for i := -1; i < len(b.peers); i++ {
		m := b.me
		if i >= 0 {
			m = b.peers[i].member
		}
		r := ranks[m]
		buf := &l.Out[r]
		if len(buf.Bytes) == 0 {
			continue
		}
		if !any {
			any = true
			b.clearAddressees()
		}
		b.addAddressee(m)
		l.out[r].swap(buf)
	}
	return any
}

// drop clears the data of the last exchange.
func (l *worldLane) drop() {
	for _, src := range l.filled {
		l.In[src] = nil
	}
	l.filled = l.filled[:0]
}

// receive takes the payload for this rank from a member's arena.
func (l *worldLane) receive(src, member int, base unsafe.Pointer, data *[2]uint64) {
	p := unsafe.Add(base, data[l.turn[member]])
	l.turn[member] ^= 1
	l.deliver(src, unsafe.Slice((*byte)(p), *lengthOf(p)))
}

func (l *worldLane) deliver(src int, payload []byte) {
	l.In[src] = payload
	l.filled = append(l.filled, src)
}
