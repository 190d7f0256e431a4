//go:build mpi && cgo

package mpi

import (
	"errors"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/mpi/internal/idle"
)

// board is the barrier of the MPI engine, among the ranks of a node that are in the same
// communicator, its members. It also holds the offsets of their data. Each member has a part of it
// in its arena:
//
//	line      the arrivals, and the members that get data
//	gate      of member 0 only: a futex that wakes sleeping members
//	desk      pieces for other nodes, and pieces from other nodes (see relay)
//	bell      of member 0: calls absent members back; of each: its count of departures
//	slots     one per member: the offsets of the data for it
//
// Ownership of the memory:
//
//   - A member writes its own line and slots only, and reads those of the others. The
//     gate is written by all, with atomic operations.
//   - Arrivals, addressees and offsets are kept twice and used in turn. A rank that has passed a
//     meeting may arrive at the next one before the others have read its words of this meeting,
//     but not at the one after next: all must have arrived at the next one by then, and have read
//     the words of this meeting. Line words go by the parity of the epoch, which counts the
//     exchanges of all lanes; offsets by the parity of a count for each lane and pair, which only
//     exchanges with data advance and both sides keep.
//   - Addressees and offsets are written before the arrival is stored, and read after
//     it was loaded: plain memory, made visible by the atomic word.
//
// The board makes no call of the MPI library: a barrier of MPICH among more ranks than cores takes
// 20 ms.
type board struct {
	me      int
	members int
	epoch   uint64
	line    *line
	gate    *gate
	desk    *desk
	all     func() bool // all members have arrived
	peers   []peer      // the other members that take part, from the next one on round
	others  []peer      // all other members
	slots   []*slot     // of this rank's board, by member
	bells   []*bell     // by member
	desks   []*desk     // by member
}

// peer is another member, as this rank sees it.
type peer struct {
	member int
	line   *line
	desk   *desk
	slot   *slot          // the peer's slot for this rank
	base   unsafe.Pointer // of the peer's arena
}

// line is a member's word, flags and addressees, at epoch&1. Up to 64 members it is
// one cache line.
type line struct {
	word [2]uint64
	many [2]Flags             // all of them, if the word has manyBit
	to   [maskWords][2]uint64 // bit m%64 of to[m/64]: member m gets data
	_    [5*lineBytes - 32 - 16*maskWords]byte
}

const (
	maskWords  = 15 // for at most 960 members
	maxMembers = 64 * maskWords
)

type gate struct {
	sleepers uint32
	turn     uint32 // changes when sleepers shall look again
	_        [lineBytes - 8]byte
}

// slot holds the offsets, in a member's arena, of its data for one other member.
type slot struct {
	data [Lanes][2]uint64 // of the payload that is sent next, or after that
	mail [channels]message
	_    [4*lineBytes - Lanes*16 - int(channels)*messageBytes]byte
}

// A word is epoch<<epochShift | laneBit | relayBit | sentBit | manyBit | flags. sentBit is set if
// the rank has data for members, relayBit if it has data for other nodes. manyBit is set if the
// flags do not fit into the word; all of them are then in line.many.
const (
	sentBit    = 1 << (flagBits + iota)
	relayBit   = 1 << (flagBits + iota)
	laneBit    = 1 << (flagBits + iota) // shifted by the lane's number
	epochShift = flagBits + 2 + Lanes
	laneBits   = 1<<epochShift - laneBit
)

const (
	lineSize  = int(unsafe.Sizeof(line{}))
	gateAt    = lineSize
	deskAt    = gateAt + int(unsafe.Sizeof(gate{}))
	bellAt    = deskAt + int(unsafe.Sizeof(desk{}))
	slotsAt   = bellAt + int(unsafe.Sizeof(bell{}))
	slotBytes = int(unsafe.Sizeof(slot{}))
)

// boardBytes returns the number of bytes that the board of one of n members takes in its arena.
func boardBytes(n int) int { return slotsAt + n*slotBytes }

// newBoard joins the boards of all members. places has the offsets of the boards in their arenas.
func newBoard(me int, bases []unsafe.Pointer, places []int) *board {
	n := len(bases)
	start := func(m int) unsafe.Pointer { return unsafe.Add(bases[m], places[m]) }
	slotOf := func(m, reader int) *slot { return (*slot)(unsafe.Add(start(m), slotsAt+reader*slotBytes)) }
	b := &board{me: me, members: n, line: (*line)(start(me)), gate: (*gate)(unsafe.Add(start(0), gateAt)), desk: (*desk)(unsafe.Add(start(me), deskAt))}
	for m := range n {
		b.slots = append(b.slots, slotOf(me, m))
	}
	for m := range n {
		b.bells = append(b.bells, (*bell)(unsafe.Add(start(m), bellAt)))
		b.desks = append(b.desks, (*desk)(unsafe.Add(start(m), deskAt)))
	}
	for d := range n - 1 {
		m := (me + 1 + d) % n
		b.others = append(b.others, peer{m, (*line)(start(m)), b.desks[m], slotOf(m, me), bases[m]})
	}
	b.peers = b.others
	b.all = b.allArrived
	return b
}

// clearAddressees is called before the first addressee of an exchange.
func (b *board) clearAddressees() {
	for i := 0; i < b.members; i += 64 {
		b.line.to[i>>6][b.epoch&1] = 0
	}
}

// addAddressee records that the coming exchange has data for a member.
func (b *board) addAddressee(member int) {
	b.line.to[member>>6][b.epoch&1] |= 1 << (member & 63)
}

// addressed reports whether l's owner, which has data for some members, has any for
// this rank.
func (b *board) addressed(l *line) bool {
	return l.to[b.me>>6][b.epoch&1]>>(b.me&63)&1 != 0
}

// arrive stores this rank's arrival, which makes all that it wrote before visible to
// members that load it.
func (b *board) arrive(word uint64) {
	atomic.StoreUint64(&b.line.word[b.epoch&1], word)
	if atomic.LoadUint32(&b.gate.sleepers) != 0 {
		b.wake()
	}
}

// wake wakes the sleepers if this rank is the last to arrive. Of several that
// arrive at once at least one sees the words of all.
func (b *board) wake() {
	if b.allArrived() {
		b.wakeAll()
	}
}

func (b *board) wakeAll() {
	atomic.AddUint32(&b.gate.turn, 1)
	idle.WakeAll(&b.gate.turn)
}

func (b *board) allArrived() bool {
	for i := range b.peers {
		if !b.arrived(&b.peers[i]) {
			return false
		}
	}
	return true
}

func (b *board) arrived(p *peer) bool {
	return atomic.LoadUint64(&p.line.word[b.epoch&1])>>epochShift == b.epoch
}

var errMember = errors.New("mpi: another rank of this node has failed, and takes part in no exchange any more")

// fail marks this rank as failed and wakes the waiting members. The mark is permanent: a rank may
// fail before it has arrived at an exchange, or after it has released the others from one; they then
// wait for it at the next.
func (b *board) fail() {
	atomic.StoreUint64(&b.desk.failed, 1)
	if atomic.LoadUint32(&b.gate.sleepers) != 0 {
		b.wakeAll()
	}
}

// sleep sleeps for at most d, or until happened holds: all members have arrived, or the leader has
// released them. No wake is lost: the sleeper reads the turn and counts itself before its last
// check, and the member that ends the wait stores a word before it looks for sleepers. If the turn
// advances before the sleeper is asleep, the futex returns at once. The caller checks again after
// every return.
func (b *board) sleep(d time.Duration, happened func() bool) {
	turn := atomic.LoadUint32(&b.gate.turn)
	atomic.AddUint32(&b.gate.sleepers, 1)
	if !happened() {
		idle.SleepWhile(&b.gate.turn, turn, d)
	}
	atomic.AddUint32(&b.gate.sleepers, ^uint32(0))
}

// message is a run of bytes for a member of the board, in the sender's arena. The messages of a
// pair and channel form a list. Its first element is in the sender's slot for the receiver and
// carries no bytes.
//
// The sender fills a message and its bytes, then stores its offset in the next field of the
// preceding message, which makes it visible. After that the sender writes only next, once, and the
// receiver only state. The bytes are free at messageRead. The message itself is free at
// messageLeft, once the receiver has advanced to its successor: until then the receiver reads next
// there.
type message struct {
	next   uint64 // offset of the next message, or 0
	data   uint64 // offset of the bytes
	length uint64
	state  uint32 // the receiver's progress: messageRead, messageLeft
	_      uint32
}

const messageBytes = int(unsafe.Sizeof(message{}))

// desk is the part of a member's board that holds its pieces for other nodes and its pieces from
// them.
type desk struct {
	pieces  uint64 // offset and number of this member's pieces, if its word has relayBit
	count   uint64
	first   uint64 // offset, in the leader's arena, of the list of
	came    uint64 // pieces for this member, and their number
	release uint64 // of the leader's desk: a word, as at a board
	many    Flags  // all flags, if the word has manyBit
	failed  uint64 // not 0 once the member has: it comes to no exchange any more
	give    uint64 // offset and number of the bytes that this member gives to be folded
	gives   uint64
	folded  uint64 // of the leader's desk: the result of the fold
	folds   uint64
	_       [2*lineBytes - 11*8]byte
}

// hasFailed reports whether the desk's owner has failed. Its earlier stores, such as an arrival,
// are visible then, so a rank that waits for one must check once more.
func (d *desk) hasFailed() bool { return atomic.LoadUint64(&d.failed) != 0 }

// bell calls an absent member back. One rank, the first member that is present or else the first of
// all, writes member 0's bell and then its turn, when all members that are present have seen the
// absent leave. Each member writes left of its own bell.
type bell struct {
	turn uint32 // number of recalls of absent members: a futex
	left uint32 // number of departures of the bell's owner
	summons
}

// summons is the message that calls an absent rank back.
type summons struct {
	epoch  uint64
	length uint64
	note   [MostNote]byte
}

const summonsBytes = int(unsafe.Sizeof(summons{}))

func (s *summons) bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(s)), summonsBytes)
}

var errOutOfStep = errors.New("mpi: the ranks are not in the same exchange: all must make the same calls in the same order")
