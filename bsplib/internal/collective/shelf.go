package collective

import (
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/account"
	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/mpi"
)

// This file carries what the processes of a rank have for other ranks as wholes, in
// collectives: it goes once to each rank, however many processes that has.
//
// A rank lays it on its shelf, in memory that all ranks of its node can read where it
// lies. No rank of the node is sent anything: a head in a place that all know says what
// is there and in which superstep it was laid. A rank of another node gets a record in
// the stream (stream.KindShelf) with the same head, and the data behind it or, where they are
// long, as a run: from the memory where they are, which may be the program's,
// into what the receiver has named for them (expect), which may be the program's too.
//
// In an exchange that folds, what has been laid goes to one rank with the exchange itself, and
// the result comes back with it (fold.go). Trees of nodes bring long data to all of
// them in one barrier (relay.go).
//
// Who may write when: a shelf has two sides, used in turn by the parity of the
// superstep. What was laid in superstep k others read from their barrier at its end
// until they enter the next one. The rank lays on that side again in k+2, after the
// barrier at the end of k+1, which all have entered by then. A head of another superstep
// says that its rank does not take part.
//
// The processes of a rank run one after the other, by pid (package bsplib). The last to
// enter a collective puts together what they have given, the first to come back does
// what the rank has to do with what has arrived (lead), and the others take it from
// there.

// shelfHead is the beginning of a side, where others look first. Little data has room
// in it: a word in its first line, which is then the only one that goes to another core.
type shelfHead struct {
	header
	ref    mpi.Ref // of the memory with the data, 0 if they are in here or cannot be shared
	inline [headBytes - 9*8]byte
	ready  atomic.Int64 // bytes of a Broadcast that are there, while the rest is being laid
	lent   mpi.Ref      // memory of the program with a Broadcast's data, which others read there
}

// header says what data belongs to.
type header struct {
	step  int  // in which it was laid
	call  call // which collective it is
	root  uint64
	size  uint64 // bytes that each process gives, where all give as many
	count uint64 // processes of the rank that have come
	bytes uint64 // of the data
}

const (
	headBytes   = 256
	SharedBytes = 2 * headBytes // of the memory that a rank shares with its node
)

// side is what a rank knows of one superstep's collective.
type side struct {
	*shelfHead
	region []byte // for what has no room in the head
	ref    mpi.Ref
	data   []byte // what has been laid
	begun  bool   // it is the first superstep of a collective
	led    bool   // the first process has come back

	filled []byte  // memory of the program that a Broadcast lays after the superstep
	own    []byte  // memory of the program that is lent to others
	failed error   // of a copy from such memory
	given  []given // by the rank's processes
	values []uint64
	result []uint64 // for those that come back later
	parts  [][]byte // by pid: what it has given to an Allgather

	came    []record  // by rank
	reached []reached // regions of other ranks

	expected
	folded  bool    // the exchange folds what has been laid
	relayed relayed // what the barrier brings from node to node
	rail    int     // how much of that for the nodes' members with this rank's number
	passed  header  // of what has come so

	flying [][]byte // memory of the program that runs are sent from
	kept   []byte   // such memory, or a copy, that is read after the exchange
	landed []byte   // memory for runs that are not expected anywhere
}

// expected is where a rank's processes want what other nodes have for them. What comes
// goes to the first process; when all is there the others get copies.
type expected struct {
	into   [][]byte // by rank: the place of what it has
	early  []early  // runs that are taken before they are announced
	wanted []given  // the whole, by process
	some   bool     // there is something in into
	placed bool     // all has come to its place, for all of the processes
}

// early is a run that a rank is expected to have given.
type early struct {
	src int
	to  []byte
	run mpi.Run
}

// given is what a process has given: a copy, or its memory where that is long.
type given struct {
	pid int
	at  unsafe.Pointer
	n   int // bytes
}

// record is what has come from a rank of another node.
type record struct {
	step int
	head *header
	data []byte
}

type reached struct {
	ref mpi.Ref
	at  unsafe.Pointer
}

// shelf is where this superstep's collective lays, or the last one has.
func (r *Rank) shelf(step int) *side {
	s := &r.sides[step&1]
	if s.shelfHead == nil {
		s.shelfHead = r.headOf(r.comm.Rank(), step)
		size := r.comm.Size()
		s.came, s.reached, s.into = make([]record, size), make([]reached, size), make([][]byte, size)
	}
	return s
}

// headOf is another rank's head, nil if it cannot be read.
func (r *Rank) headOf(rank, step int) *shelfHead {
	heads := r.stream.Peers.Extra(rank)
	if heads == nil {
		return nil
	}
	return (*shelfHead)(unsafe.Add(heads, step&1*headBytes))
}

// longShelf is the length from which what a collective has for a rank of another node is a
// run: less than for Puts, as no copy is made of it.
const longShelf = 32 << 10

// shelfFrom is that length for the rank of an outbox.
func shelfFrom(box *stream.Outbox) int {
	if box.Runs == nil {
		return math.MaxInt
	}
	return min(box.RunsFrom(), longShelf)
}

// open begins this superstep's side.
func (r *Rank) open(c call, root, size int) *side {
	s := r.shelf(r.step())
	s.header = header{step: r.step(), call: c, root: uint64(root), size: uint64(size)}
	s.begun, r.laidIn = true, r.step()
	s.shelfHead.ref, s.led, s.filled, s.own, s.failed = 0, false, nil, nil, nil
	if s.lent != 0 {
		s.lent = 0
	}
	s.data, s.given = s.inline[:0], s.given[:0]
	s.kept, s.placed = nil, false
	s.folded, s.relayed = false, nothing
	s.forgetExpected()
	return s
}

// opened is open for a superstep within a collective, where all take part.
func (r *Rank) opened(c call, size int) *side {
	s := r.open(c, 0, size)
	s.begun = false
	s.count = uint64(r.here())
	return s
}

// join enters the process into its rank's collective.
func (p *Member) join(c call, root, size int) *side {
	p.mustNotCompute(collectiveNames[c.collective()])
	r := p.r
	s := r.shelf(r.step())
	if s.step != r.step() {
		s = r.open(c, root, size)
	} else if !s.call.matches(c) || s.root != uint64(root) {
		p.differ(c, &s.header)
	}
	s.count++
	return s
}

// last reports whether the process is the last of its rank to join.
func (s *side) last(r *Rank) bool { return s.count == uint64(r.here()) }

// lead reports whether the process is the first of its rank to come back.
func (s *side) lead() bool {
	first := !s.led
	s.led = true
	return first
}

// lay makes room for n bytes on the shelf.
func (r *Rank) lay(s *side, n int) []byte {
	at := memory.Pad(len(s.data))
	if at+n > cap(s.data) {
		if at+n > cap(s.region) {
			if s.ref != 0 {
				r.comm.Withdraw(s.ref)
			}
			old := s.region
			s.region = r.comm.AllocDirty(max(at+n, 2*len(old), 4<<10))
			if s.ref = r.comm.Share(s.region); s.ref != 0 && r.comm.Reach(r.comm.Rank(), s.ref) == nil {
				r.comm.Withdraw(s.ref)
				s.ref = 0 // others have no address for it
			}
			copy(s.region, s.data)
		} else if len(s.data) > 0 && memory.At(s.data) != memory.At(s.region) {
			copy(s.region, s.data)
		}
		s.data = s.region
		s.shelfHead.ref = s.ref
	}
	s.data = s.data[:at+n]
	s.bytes = uint64(at + n)
	return s.data[at:]
}

// ship brings data of this superstep's collective to a rank of another node. Long data
// are a run: they may not change before the exchange has ended.
func (p *Member) ship(s *side, rank int, data []byte) {
	box := p.r.stream.Out.To(rank)
	if len(data) >= shelfFrom(box) {
		box.Runs.Give(rank, mpi.Collectives, memory.Long(data))
		p.write(s, rank, len(data), 0)
		return
	}
	memory.Copy(p.write(s, rank, len(data), len(data)), memory.At(data), len(data))
}

// shipOwn is ship of memory of the process, a part of so many bytes. What arrives
// meanwhile is not written there before it has been sent (deliver).
func (p *Member) shipOwn(s *side, rank int, data []byte, of int) {
	box := p.r.stream.Out.To(rank)
	switch {
	case len(data) < shelfFrom(box) || of < longGiven:
		memory.Copy(p.write(s, rank, len(data), len(data)), memory.At(data), len(data))
	case p.lasts(data):
		s.flying = append(s.flying, memory.Long(data))
		p.ship(s, rank, data)
	case box.Runs.GiveCopy(rank, mpi.Collectives, memory.Long(data)):
		p.write(s, rank, len(data), 0)
	default:
		memory.Copy(p.write(s, rank, len(data), len(data)), memory.At(data), len(data))
	}
}

const shelfHeader = int(unsafe.Sizeof(header{}))

// write announces n bytes of this superstep's collective in the stream to a rank, and
// makes room behind that for those that come in the stream.
func (p *Member) write(s *side, rank, n, room int) unsafe.Pointer {
	box := p.r.stream.Out.To(rank)
	at := box.Record(p.Pid, 16+shelfHeader+memory.Pad(room))
	w := (*[2]uint64)(at)
	w[0], w[1] = stream.Word0(stream.KindShelf, 0, p.Pid), uint64(shelfHeader+room)
	h := (*header)(unsafe.Add(at, 16))
	*h = s.header
	h.bytes, h.count = uint64(n), uint64(p.r.here())
	box.Passed(n - room)
	return unsafe.Add(at, 16+shelfHeader)
}

// offer brings what has been laid to all ranks but this one: by itself where they can
// read it, else as a message.
func (p *Member) offer(s *side, t *layout) {
	for _, rank := range t.members {
		p.offerTo(s, rank)
	}
}

func (p *Member) offerTo(s *side, rank int) {
	r := p.r
	if rank == r.comm.Rank() {
		return
	}
	if r.stream.Peers.Shares(rank) && (s.shelfHead.ref != 0 || len(s.data) <= len(s.inline)) {
		return
	}
	p.ship(s, rank, s.data)
}

// Look asks for what the others have laid: it comes while the barrier goes on.
func (r *Rank) Look() {
	const few = 8
	if len(r.stream.Out.Here) > few {
		return
	}
	for _, rank := range r.stream.Out.Here {
		if head := r.headOf(rank, r.step()); head != nil {
			memory.Prefetch(unsafe.Pointer(head))
		}
	}
}

// Called reports whether the rank takes part in a collective in this superstep. Look, Before and End
// are for those.
func (r *Rank) Called(step int) bool { return r.laidIn == step }

// Announced reports whether runs of a collective have been announced in this delivery.
func (r *Rank) Announced() bool { return len(r.coming) > 0 }

// End ends the exchange for a collective, when all has come. samples are those of the rank's
// processes, nil if nothing is measured.
func (r *Rank) End(samples []*account.Sample) error {
	s := r.shelf(r.step())
	r.takeLent()
	s.flying = s.flying[:0]
	if r.folder != nil {
		at, _ := r.folder.Folds()
		r.stream.Ways.Received(at, len(r.folder.Folded()))
	}
	if err := r.relay(s); err != nil {
		return err
	}
	s.place(r)
	if samples != nil && s.begun {
		r.enterCollective(s, samples)
	}
	return nil
}

// Before prepares for the delivery of what has arrived: runs that this superstep's collective
// reads from the program's memory come first if something is to be written there.
func (r *Rank) Before() {
	if r.stream.Out.Runs != nil && r.clashes() {
		r.takeShelves()
	}
}

// After takes the runs that the delivery has announced.
func (r *Rank) After() {
	if len(r.coming) > 0 || len(r.shelf(r.step()).early) > 0 {
		r.takeRuns()
	}
}

// Arrived takes in a record from a rank of another node.
func (r *Rank) Arrived(src int, bytes []byte) {
	c := &r.shelf(r.step()).came[src]
	if c.step == r.step() {
		return // by takeShelves
	}
	*c = record{step: r.step(), head: (*header)(unsafe.Pointer(&bytes[16]))}
	n := int(c.head.bytes)
	if room := *memory.Word(bytes, 8); n > 0 && room == uint64(shelfHeader) {
		r.coming = append(r.coming, src)
		return
	}
	c.data = bytes[16+shelfHeader : 16+shelfHeader+n]
}

// takeShelves takes the runs of collectives, and waits for them, before anything else of
// what has arrived is written: some of it would be, to where others still read.
func (r *Rank) takeShelves() {
	s := r.shelf(r.step())
	s.forgetExpected()
	r.stream.EachShelf(r.Arrived)
	if len(r.coming) > 0 {
		r.takeRuns()
	}
	r.stream.Out.Runs.Settle(mpi.Collectives) // the barrier asks for its error again
	s.flying = s.flying[:0]
	s.kept = slices.Clone(s.kept)
}

// clashes reports whether something that has arrived is to be written to memory that
// runs of the collective are sent from.
func (r *Rank) clashes() bool {
	s := r.shelf(r.step())
	if len(s.flying) == 0 && s.kept == nil {
		return false
	}
	return r.stream.Writes(s.reads)
}

// reads reports whether runs are sent from these bytes, or they are read later.
func (s *side) reads(to unsafe.Pointer, n int) bool {
	for _, mem := range s.flying {
		if memory.Overlap(to, n, memory.At(mem), len(mem)) {
			return true
		}
	}
	return memory.Overlap(to, n, memory.At(s.kept), len(s.kept))
}

// takeRuns takes the runs that records have announced: to where they are expected.
func (r *Rank) takeRuns() {
	s := r.shelf(r.step())
	defer r.dropEarly(s)
	total := 0
	for _, src := range r.coming {
		if s.placeOf(r, src) == nil {
			total += int(s.came[src].head.bytes+63) &^ 63
		}
	}
	if total > len(s.landed) {
		s.landed = r.comm.AllocDirty(total)
	}
	room := s.landed
	for _, src := range r.coming {
		c := &s.came[src]
		r.stream.Ways.Received(src, int(c.head.bytes))
		if c.data = s.tookEarly(src, int(c.head.bytes)); c.data != nil {
			continue
		}
		if c.data = s.placeOf(r, src); c.data == nil {
			c.data = room[:c.head.bytes]
			room = room[min(int(c.head.bytes+63)&^63, len(room)):]
		}
		r.stream.Out.Runs.Take(src, mpi.Collectives, c.data)
	}
	r.coming = r.coming[:0]
}

// tookEarly returns where a run of so many bytes comes that is taken already, nil if none
// is: what it belongs to has to be looked at.
func (s *side) tookEarly(src, n int) []byte {
	i := slices.IndexFunc(s.early, func(e early) bool { return e.src == src && len(e.to) == n })
	if i < 0 {
		return nil
	}
	to := s.early[i].to
	s.early = slices.Delete(s.early, i, i+1)
	return to
}

// dropEarly takes back what was expected and has not come as a run. The barrier asks for
// an error again.
func (r *Rank) dropEarly(s *side) {
	for _, e := range s.early {
		r.stream.Out.Runs.Drop(e.run)
	}
	s.early = s.early[:0]
}

// expect names the place of what a rank has for this one: memory of the rank's first
// process, or of the next superstep's shelf.
func (s *side) expect(rank int, to []byte) {
	s.into[rank], s.some = to, true
}

// expectSoon is expect of what will be a run, if nothing else is done with that memory until
// the exchange has ended: its receipt is posted at once. The bytes can then leave when their
// announcement does.
func (p *Member) expectSoon(s *side, rank int, to []byte) {
	s.expect(rank, to)
	if r := p.r; len(to) >= shelfFrom(r.stream.Out.To(rank)) {
		s.early = append(s.early, early{rank, to, r.stream.Out.Runs.Take(rank, mpi.Collectives, to)})
	}
}

// nextShelf is n bytes where the next superstep lays, nil if they are not there yet: for what
// arrives at the end of this one, when no other rank reads there any more.
func (r *Rank) nextShelf(n int) []byte {
	if region := r.shelf(r.step() + 1).region; cap(region) >= n {
		return region[:n]
	}
	return nil
}

// placeOf is where the data of a rank are expected, if what has come is that.
func (s *side) placeOf(r *Rank, src int) []byte {
	if h := s.came[src].head; s.some && s.step == r.step() && len(s.into[src]) == int(h.bytes) && h.call.matches(s.call) && h.root == s.root && h.size == s.size {
		return s.into[src]
	}
	return nil
}

func (s *side) forgetExpected() {
	if s.some || len(s.wanted) > 0 {
		clear(s.into)
		clear(s.wanted)
		s.wanted, s.some = s.wanted[:0], false
	}
}

// place completes what the rank's processes want, and lets go of their memory.
func (s *side) place(r *Rank) {
	if !s.some {
		return
	}
	s.placed = len(s.wanted) > 0 && !slices.ContainsFunc(s.wanted, func(w given) bool { return w.n != s.wanted[0].n })
	for src, to := range s.into {
		if to == nil {
			continue
		}
		if s.came[src].step != s.step || s.placeOf(r, src) == nil {
			s.placed = false
		} else if c := s.came[src]; memory.At(c.data) != memory.At(to) {
			copy(to, c.data)
		}
	}
	if s.placed {
		for _, w := range s.wanted[1:] {
			memory.Copy(w.at, s.wanted[0].at, w.n)
		}
	}
	s.forgetExpected()
}

// wants enters memory of the process as one that the whole is wanted in. The first one
// says what is expected where.
func (p *Member) wants(s *side, data []byte) (whole []byte, first bool) {
	w := given{p.Pid, memory.OnHeap(memory.At(data)), len(data)}
	s.wanted = append(s.wanted, w)
	return unsafe.Slice((*byte)(w.at), w.n), len(s.wanted) == 1
}

// from returns what a rank has laid, with its header, or nil where it has not.
func (r *Rank) from(s *side, rank int) (*header, []byte) {
	if rank == r.comm.Rank() {
		return &s.header, s.data
	}
	if head := r.headOf(rank, s.step); head != nil {
		if head.step != s.step {
			return nil, nil
		}
		n := int(head.bytes)
		if head.lent != 0 {
			return &head.header, nil
		}
		if head.ref != 0 {
			if x := &s.reached[rank]; x.ref != head.ref {
				*x = reached{head.ref, r.comm.Reach(rank, head.ref)}
			}
			return &head.header, unsafe.Slice((*byte)(s.reached[rank].at), n)
		}
		if n <= len(head.inline) {
			return &head.header, head.inline[:n]
		}
	}
	if s.came[rank].step != s.step {
		return nil, nil
	}
	return s.came[rank].head, s.came[rank].data
}

// took returns what a rank has laid in the collective that the process is in, with
// size bytes by each process unless that is negative.
func (p *Member) took(s *side, rank, size int) []byte {
	h, data := p.r.from(s, rank)
	p.compare(s, h, rank, size)
	return data
}

// compare ends the run if a rank's header is not that of this process's collective.
func (p *Member) compare(s *side, h *header, rank, size int) {
	switch {
	case h == nil:
		p.absent(s, s.call)
	case !h.call.matches(s.call) || h.root != s.root:
		p.differ(s.call, h)
	case h.count != uint64(len(p.r.tree.procs[rank])):
		p.absent(s, s.call)
	case size >= 0 && h.size != uint64(size):
		p.Fail(OutOfBounds, "%s: %d bytes arrived for data of %d bytes; all processes must give the same length", s.call.name(), h.size, size)
	}
}

// longGiven is the length from which the memory that a process gives is read where it
// lies: it is too long for a stack, which may move.
const longGiven = stream.ShareCopy

// give enters what the process gives to its rank.
func (p *Member) give(s *side, data []byte) {
	if s.size != uint64(len(data)) {
		p.Fail(OutOfBounds, "%s: this process gives %d bytes and one before it %d; all processes must give the same length",
			s.call.name(), len(data), s.size)
	}
	if len(data) >= longGiven {
		s.given = append(s.given, given{p.Pid, memory.OnHeap(memory.At(data)), len(data)})
		return
	}
	words := memory.Pad(len(data)) / 8
	if need := words * p.r.here(); len(s.values) < need {
		s.values = make([]uint64, need)
	}
	at := unsafe.Pointer(unsafe.SliceData(s.values[len(s.given)*words:]))
	memory.Copy(at, memory.At(data), len(data))
	s.given = append(s.given, given{p.Pid, at, len(data)})
}

// quiet reports whether nothing that arrives in this superstep is written into memory of
// the process, and whether it outlasts the exchange: what the library reads there may then
// be read after the barrier too.
func (p *Member) quiet(mem []byte) bool {
	for _, a := range p.Areas {
		if a != nil && memory.Overlap(memory.At(mem), len(mem), a.Base, a.Bytes()) {
			return false
		}
	}
	return p.lasts(mem)
}

// lasts is quiet for memory that Puts may be written into. What messages that have come
// take does not outlast the exchange.
func (p *Member) lasts(mem []byte) bool {
	for _, in := range p.r.stream.Data.In {
		if memory.Overlap(memory.At(mem), len(mem), memory.At(in), len(in)) {
			return false
		}
	}
	return !p.r.stream.Fills(p.Pid, mem)
}

// letGo forgets memory of the program.
func (s *side) letGo() { clear(s.given) }
