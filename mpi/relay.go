//go:build mpi && cgo

package mpi

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/mpi/internal/idle"
	"github.com/migbsp/migbsp/mpi/rounds"
)

// relay carries data from the ranks of a node to other nodes. One of the ranks, the first of the
// board that takes part (attend.go), is the leader, and the only one in the rounds between nodes
// (mesh). In an exchange
//
//   - each member lists its pieces for ranks of other nodes on its desk (post), sends
//     the long ones itself, directly to their ranks, and arrives at the board;
//   - the leader, when all have arrived, packs the short pieces for each other node and
//     the announcements of long ones into a parcel (gather), and the rounds deliver the
//     parcels of other nodes, and all nodes' flags;
//   - the leader lists each member's pieces on its desk (deal), and releases all;
//   - each member reads the short ones in the leader's memory, and receives the long
//     ones (take).
//
// So the bytes of a piece are copied into the parcel only, and not even there if the parcel is a
// single piece of the leader: its record is in front of it already. An exchange sends one message
// for each step of the rounds, which are 2 log2 N at most, one for each node with a parcel that is
// too long for these, and the long pieces.
//
// Ownership of the memory: a member writes its desk before it arrives, and the leader reads it
// before it releases. The leader writes the release and the dealt pieces before it releases, the
// next time when all have arrived again. So each lane has one memory for parcels: when the leader
// asks for new ones, all members have entered the next exchange on that lane, and no longer use In
// of the last.
type relay struct {
	mesh   *mesh
	node   []int // by rank: its node's number in the mesh
	alone  []bool
	member []int // by rank, as in world
	me     int   // this rank's node
	rank   int
	leader int // the leader's member number

	board *board
	desk  *desk
	here  []int            // members that take part
	desks []*desk          // by member
	bases []unsafe.Pointer // of arenas, by member

	pieces part[piece] // of this rank, on its desk

	leading *leading
	bodies  [Lanes][]part[byte] // of long pieces that came

	folding *folding

	failed     error // of a call that was made while waiting for members
	isReleased func() bool
}

// leading is the leader's part: parcels to pack for other nodes, and received pieces to deal.
type leading struct {
	loads   []load            // by node
	touched []int             // nodes with a load
	parcels []parcel          // to send
	packed  part[byte]        // their contents
	came    [Lanes]part[byte] // parcels that came by themselves
	dealt   []dealtPiece
	table   part[arrival]
	slots   part[byte] // of the mesh
}

// record describes a piece in a parcel, directly in front of its bytes: blockHead
// bytes. A long piece has no bytes there.
type record struct {
	src, dst uint32
	length   uint64 // and longBit
}

const longBit = 1 << 63

// piece is a record whose bytes are at an offset of its owner's arena.
type piece struct {
	record
	place uint64
}

// arrival is a piece for a member; its bytes are at an offset of the leader's arena.
type arrival struct {
	src           uint64
	length, place uint64 // length: and longBit
}

type dealtPiece struct {
	member int
	arrival
}

// load sums up the contents of the parcel for a node.
type load struct {
	pieces, bytes int
	stays         bool           // it is one piece, sent from where it is
	at            unsafe.Pointer // where the next piece goes
	filled        int
}

func newRelay(m *mesh, b *board, a *arena, rank int, member []int, nodes nodeTable) *relay {
	r := &relay{mesh: m, node: nodes.of, alone: nodes.alone, member: member, me: nodes.me, rank: rank, board: b, leading: new(leading), folding: new(folding)}
	r.desk, r.desks, r.bases = b.desk, b.desks, make([]unsafe.Pointer, b.members)
	r.bases[b.me] = a.base
	for i := range b.peers {
		r.bases[b.peers[i].member] = b.peers[i].base
	}
	r.pieces.arena, r.leading.packed.arena, r.leading.table.arena, r.leading.slots.arena = a, a, a, a
	for k := range r.leading.came {
		r.leading.came[k].arena = a
	}
	for m := range r.desks {
		r.here = append(r.here, m)
	}
	f := r.folding
	f.lane = new(Fold)
	f.mine.arena, f.node.arena, f.result.arena = a, a, a
	r.foldsAmong(nodes)
	if r.leads() {
		r.leading.slots.reserve(m.slotBytes())
		m.useSlots(r.leading.slots.at())
	}
	r.leading.loads = make([]load, len(nodes.leaders))
	r.isReleased = r.released
	return r
}

func (r *relay) leads() bool { return r.board.me == r.leader }

// post lists the lane's data for other nodes, and reports whether the lane has any.
func (r *relay) post(l *worldLane, ranks []int) (any bool, err error) {
	r.layFold(l.number)
	r.pieces.n = 0
	for _, dst := range ranks {
		out := l.Out[dst].Bytes
		if len(out) == 0 {
			continue
		}
		l.Out[dst].Bytes = out[:0]
		start := unsafe.Pointer(unsafe.SliceData(out))
		place, _ := r.pieces.arena.place(start)
		rec := record{uint32(r.rank), uint32(dst), uint64(len(out))}
		if rounds.Long(len(out), r.alone[r.me], r.alone[r.node[dst]]) {
			rec.length |= longBit
			if err := r.mesh.sendPiece(dst, out); err != nil {
				return false, err
			}
		}
		*(*record)(unsafe.Add(start, -blockHead)) = rec
		r.pieces.add(piece{rec, uint64(place)})
	}
	if r.pieces.n == 0 {
		return false, nil
	}
	r.desk.pieces, r.desk.count = uint64(r.pieces.place), uint64(r.pieces.n)
	return true, nil
}

// lead does the leader's part of an exchange, when all members of the node have arrived, and
// returns all nodes' flags. words has, by member, the word of its arrival.
func (r *relay) lead(l *worldLane, flags Flags, words []uint64, wait *idle.Waiter) (Flags, error) {
	wait.Share(time.Now())
	r.gather(words, r.mesh.inlineBytes(l.number))
	r.giveFold(l.number)
	err := r.mesh.rounds(l.number, uint32(r.board.epoch), flags, r.leading.parcels, wait)
	if err == nil {
		err = r.mesh.finish((*mesh).goneUp, wait)
	}
	if err == nil && r.mesh.turns() {
		if err = r.turn(); err == nil {
			err = r.mesh.finish((*mesh).roundsDone, wait)
		}
	}
	if err == nil {
		err = r.receiveParcels(l)
	}
	if err == nil {
		err = r.mesh.finish((*mesh).leadDone, wait)
	}
	if err != nil {
		return 0, err
	}
	r.mesh.endLead()
	r.deal()
	r.showFolded(l.number)
	flags = r.mesh.flags()
	r.release(flags, l.number)
	return flags, nil
}

// listed returns a member's pieces.
func (r *relay) listed(member int) []piece {
	d := r.desks[member]
	return unsafe.Slice((*piece)(unsafe.Add(r.bases[member], d.pieces)), d.count)
}

// gather makes the parcels of this exchange. The rounds carry a parcel of up to inline bytes.
func (r *relay) gather(words []uint64, inline int) {
	r.clear()
	total := 0
	for m, word := range words {
		if word&relayBit == 0 {
			continue
		}
		for _, p := range r.listed(m) {
			n := &r.leading.loads[r.node[p.dst]]
			if n.pieces == 0 {
				r.leading.touched = append(r.leading.touched, r.node[p.dst])
			}
			n.pieces++
			n.bytes += p.packed()
			n.stays = n.pieces == 1 && (m == r.board.me || n.bytes <= inline)
		}
	}
	for _, node := range r.leading.touched {
		if n := &r.leading.loads[node]; !n.stays {
			total += n.bytes
		}
	}
	if total > 0 {
		r.leading.packed.reserve(total)
		at := r.leading.packed.at()
		for _, node := range r.leading.touched {
			if n := &r.leading.loads[node]; !n.stays {
				n.at = at
				at = unsafe.Add(at, n.bytes)
			}
		}
	}
	for m, word := range words {
		if word&relayBit == 0 {
			continue
		}
		for _, p := range r.listed(m) {
			r.pack(&r.leading.loads[r.node[p.dst]], p, unsafe.Add(r.bases[m], p.place))
		}
	}
	for _, node := range r.leading.touched {
		n := &r.leading.loads[node]
		r.leading.parcels = append(r.leading.parcels, newParcel(node, unsafe.Add(n.at, -n.filled), n.filled))
	}
}

func (r *relay) clear() {
	for _, node := range r.leading.touched {
		r.leading.loads[node] = load{}
	}
	r.leading.touched, r.leading.parcels = r.leading.touched[:0], r.leading.parcels[:0]
}

// packed returns the number of bytes of a parcel that the piece takes.
func (p piece) packed() int {
	return rounds.Packed(int(p.length&^longBit), p.length&longBit != 0)
}

// pack adds a piece to its node's parcel. The only piece of a parcel stays where it is, with
// the record that post has written in front of it, if it is in the leader's own memory or if
// it goes in the rounds: the library may register memory that it sends from with a network
// adapter, and does not notice when another process gives that memory back to the system.
func (r *relay) pack(n *load, p piece, data unsafe.Pointer) {
	whole := blockHead
	if p.length&longBit == 0 {
		whole += int(p.length)
	}
	start := unsafe.Add(data, -blockHead)
	if n.stays {
		n.at, n.filled = unsafe.Add(start, whole), whole
		return
	}
	copy(unsafe.Slice((*byte)(n.at), whole), unsafe.Slice((*byte)(start), whole))
	n.at = unsafe.Add(n.at, p.packed())
	n.filled += p.packed()
}

// receiveParcels asks for the parcels that come by themselves.
func (r *relay) receiveParcels(l *worldLane) error {
	if len(r.mesh.got()) == 0 {
		return nil
	}
	came := &r.leading.came[l.number]
	total := 0
	for _, p := range r.mesh.got() {
		if p.content == nil {
			total += roundUp(int(p.len), lineBytes)
		}
	}
	came.reserve(total)
	at := came.at()
	for i := range r.mesh.got() {
		p := &r.mesh.got()[i]
		if p.content != nil {
			continue
		}
		if err := r.mesh.receiveParcel(p, at); err != nil {
			return err
		}
		at = unsafe.Add(at, roundUp(int(p.len), lineBytes))
	}
	return nil
}

// deal lists on each member's desk the pieces that have come for it.
func (r *relay) deal() {
	got := r.mesh.got()
	if len(got) == 0 && len(r.leading.dealt) == 0 {
		return
	}
	r.leading.dealt = r.leading.dealt[:0]
	for _, p := range got {
		for at, end := unsafe.Pointer(p.content), unsafe.Add(unsafe.Pointer(p.content), p.len); uintptr(at) < uintptr(end); {
			rec := *(*record)(at)
			at = unsafe.Add(at, blockHead)
			place, _ := r.leading.table.arena.place(at)
			r.leading.dealt = append(r.leading.dealt, dealtPiece{r.member[rec.dst], arrival{uint64(rec.src), rec.length, uint64(place)}})
			if rec.length&longBit == 0 {
				at = unsafe.Add(at, roundUp(int(rec.length), blockHead))
			}
		}
	}
	if len(r.desks) > 1 {
		slices.SortStableFunc(r.leading.dealt, func(a, b dealtPiece) int { return cmp.Compare(a.member, b.member) })
	}
	r.leading.table.reserve(len(r.leading.dealt))
	table := r.leading.table.slice(len(r.leading.dealt))
	for _, m := range r.here {
		r.desks[m].came = 0
	}
	for i, p := range r.leading.dealt {
		table[i] = p.arrival
		d := r.desks[p.member]
		if d.came == 0 {
			d.first = uint64(r.leading.table.place + i*int(unsafe.Sizeof(arrival{})))
		}
		d.came++
	}
}

// release resumes the members.
func (r *relay) release(flags Flags, lane int) {
	b := r.board
	if len(b.peers) == 0 {
		return
	}
	atomic.StoreUint64(&r.desk.release, b.epoch<<epochShift|laneBit<<lane|wordOf(flags, &r.desk.many))
	if atomic.LoadUint32(&b.gate.sleepers) != 0 {
		b.wakeAll()
	}
}

func (r *relay) released() bool {
	return atomic.LoadUint64(&r.desks[r.leader].release)>>epochShift == r.board.epoch
}

// await returns all nodes' flags when the leader has released this exchange.
func (r *relay) await(lane int, wait *idle.Waiter) (Flags, error) {
	for range wait.Loads {
		if r.released() {
			break
		}
	}
	if !r.released() {
		wait.Begin()
	}
	for !r.released() {
		if r.desks[r.leader].hasFailed() && !r.released() {
			return 0, errMember
		}
		nap := wait.Step()
		if r.mesh.busy(wait) {
			if err := r.mesh.progress(); err != nil {
				return 0, err
			}
		} else if nap > 0 {
			nap = idle.LongestNap
		}
		if nap > 0 {
			r.board.sleep(nap, r.isReleased)
		}
	}
	switch d := r.desks[r.leader]; {
	case d.release&laneBits != laneBit<<lane:
		return 0, errOutOfStep
	case d.release&manyBit != 0:
		return d.many, nil
	default:
		return Flags(d.release) & fewFlags, nil
	}
}

// take delivers the pieces for this member, and requests the long ones.
func (r *relay) take(l *worldLane) error {
	r.takeFolded(l.number)
	if r.desk.came == 0 {
		return nil
	}
	from := r.bases[r.leader]
	list := unsafe.Slice((*arrival)(unsafe.Add(from, r.desk.first)), r.desk.came)
	long := 0
	for _, a := range list {
		if a.length&longBit == 0 {
			l.deliver(int(a.src), unsafe.Slice((*byte)(unsafe.Add(from, a.place)), a.length))
			continue
		}
		n := int(a.length &^ longBit)
		if long == len(r.bodies[l.number]) {
			r.bodies[l.number] = append(r.bodies[l.number], part[byte]{arena: r.leading.table.arena})
		}
		body := &r.bodies[l.number][long]
		long++
		body.reserve(n)
		if err := r.mesh.receivePiece(int(a.src), body.at(), n); err != nil {
			return err
		}
		l.deliver(int(a.src), body.slice(n))
	}
	return nil
}
