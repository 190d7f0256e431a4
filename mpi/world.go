//go:build mpi && cgo

package mpi

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/mpi/internal/idle"
)

// world is the Comm of an MPI process. It synchronizes with the ranks that can share memory with
// it, its members, at a board, where data stays in the sender's memory; and with ranks of other
// nodes by its relay.
//
// In an exchange a rank posts the offsets of its data at the board, arrives there, and waits for
// each member. Within a node no call of the MPI library is made. With several nodes the leader of
// the node, when all members have arrived, exchanges messages with the other leaders, and then
// releases the members.
type world struct {
	process *process
	rank    int
	members []int // ranks at the board, by member
	member  []int // by rank, -1 if not at the board
	board   *board
	relay   *relay // nil if all ranks that take part are members
	remote  []int  // ranks that are no members, and take part
	runs    *transfer
	words   []uint64 // of the members, in this exchange
	absence absence

	lanes [Lanes]worldLane
	wait  idle.Waiter
	err   error // of the call that made this world unusable
}

// newWorld makes the Comm of all ranks, whose boards are at these offsets of their arenas. It has
// no mesh yet.
func newWorld(p *process, places []int) *world {
	w := &world{process: p, rank: p.rank, wait: p.wait}
	var bases []unsafe.Pointer
	var at []int
	for r, base := range p.reach {
		w.member = append(w.member, -1)
		if base != nil {
			w.member[r] = len(bases)
			w.members = append(w.members, r)
			bases, at = append(bases, base), append(at, places[r])
		}
	}
	w.board, w.words = newBoard(w.member[w.rank], bases, at), make([]uint64, len(bases))
	w.runs = newTransfer(p, w.board, w.members, w.member, &w.wait, &w.err)
	for k := range w.lanes {
		w.lanes[k].init(k, p.arena, w.board, w.member)
	}
	return w
}

// join adds the connection to the ranks that are no members.
func (w *world) join(m *mesh, nodes nodeTable) {
	w.relay = newRelay(m, w.board, w.process.arena, w.rank, w.member, nodes)
	w.absence.relay, w.absence.nodes = w.relay, nodes
	w.lanes[foldLane].Fold = w.relay.folding.lane
	w.runs.join(m)
	for r, m := range w.member {
		if m < 0 {
			w.remote = append(w.remote, r)
		}
	}
	if w.relay.leads() {
		w.wait = w.wait.ForMessages()
	}
}

// Rank implements Comm, as do the other exported methods.
func (w *world) Rank() int { return w.rank }

func (w *world) Size() int { return len(w.process.engine.Nodes) }

func (w *world) Lane(k int) *Lane { return &w.lanes[k].Lane }

func (w *world) Engine() Engine {
	e := w.process.engine
	e.Present = w.absence.present
	return e
}

// describe sets the engine's text: the library, and the ranks that share memory.
func (w *world) describe() {
	p, nodes := w.process, 1+slices.Max(w.process.engine.Nodes)
	text := fmt.Sprintf("%s, %d ranks on %d nodes", p.library, w.Size(), nodes)
	if nodes == 1 {
		text = fmt.Sprintf("%s, %d ranks on one node", p.library, w.Size())
	}
	switch {
	case w.absence.relay == nil:
		text += ", shared memory"
	case p.unshared != nil:
		text += fmt.Sprintf(", memory not shared (%v)", p.unshared)
	case nodes < w.Size():
		text += ", memory shared within nodes"
	}
	if p.setting.apart != "" {
		text += " (" + p.setting.apart + ")"
	}
	p.engine.Text = text
	if w.absence.relay != nil && p.setting.direct != directOff {
		p.engine.RunsFrom = make([]int, w.Size())
		for rank, member := range w.member {
			if member < 0 {
				p.engine.RunsFrom[rank] = runFrom
			}
		}
	}
}

// Exchange makes no call of the MPI library when all ranks are members.
func (w *world) Exchange(l *Lane, flags Flags) (Flags, error) {
	if w.err != nil {
		return 0, w.err
	}
	lane, b := &w.lanes[l.number], w.board
	if w.absence.present != nil {
		if err := w.part(); err != nil {
			return 0, err
		}
	}
	b.epoch++
	lane.count++
	word := b.epoch<<epochShift | laneBit<<l.number | wordOf(flags, &b.line.many[b.epoch&1])
	lane.drop()
	if w.runs.mail.unread > 0 {
		w.runs.mail.reclaim(w.process.arena)
	}
	if lane.post(b, w.members) {
		word |= sentBit
	}
	if w.relay == nil {
		b.arrive(word)
		return w.meet(lane, word, flags)
	}
	if w.relay.mesh.mails > 0 {
		w.runs.poll(1)
	}
	listed, err := w.relay.post(lane, w.remote)
	if err = cmp.Or(w.err, err); err != nil {
		return 0, w.fail(err)
	}
	if listed {
		word |= relayBit
	}
	b.arrive(word)
	var all Flags
	if w.relay.leads() {
		if all, err = w.meet(lane, word, flags); err == nil {
			all, err = w.relay.lead(lane, all, w.words, &w.wait)
		}
	} else if all, err = w.relay.await(l.number, &w.wait); err == nil {
		_, err = w.meet(lane, word, flags)
	}
	if err = cmp.Or(err, w.relay.failed); err == nil {
		err = w.relay.take(lane)
	}
	if err == nil {
		err = w.relay.mesh.finish((*mesh).done, &w.wait)
	}
	if err != nil {
		return 0, w.fail(err)
	}
	w.relay.mesh.over()
	return all, nil
}

// wordOf returns the part of a word that holds the flags. Flags that do not fit go to many.
func wordOf(flags Flags, many *Flags) uint64 {
	if flags <= fewFlags {
		return uint64(flags)
	}
	*many = flags
	return manyBit
}

// meet waits for each member and takes its data for this rank. It returns all members' flags.
func (w *world) meet(lane *worldLane, word uint64, flags Flags) (Flags, error) {
	b, all := w.board, word
	if word&sentBit != 0 && b.addressed(b.line) {
		lane.receive(w.rank, b.me, w.process.arena.base, &b.slots[b.me].data[lane.number])
	}
	w.words[b.me] = word
	for i := range b.peers {
		p := &b.peers[i]
		v := atomic.LoadUint64(&p.line.word[b.epoch&1])
		if v>>epochShift != b.epoch {
			if v = w.await(p); v>>epochShift != b.epoch {
				return 0, w.fail(errMember)
			}
		}
		all |= v & (1<<epochShift - 1)
		if v&sentBit != 0 && b.addressed(p.line) {
			lane.receive(w.members[p.member], p.member, p.base, &p.slot.data[lane.number])
		}
		w.words[p.member] = v
	}
	if all&laneBits != laneBit<<lane.number {
		return 0, w.fail(errOutOfStep)
	}
	if all&manyBit != 0 {
		for i := range b.peers {
			if p := &b.peers[i]; w.words[p.member]&manyBit != 0 {
				flags |= p.line.many[b.epoch&1]
			}
		}
		return Flags(all)&fewFlags | flags, nil
	}
	return Flags(all) & fewFlags, nil
}

// await returns the word of a member once it has arrived, or one of another epoch if it has
// failed.
func (w *world) await(p *peer) uint64 {
	b := w.board
	word := &p.line.word[b.epoch&1]
	for range w.wait.Loads {
		if v := atomic.LoadUint64(word); v>>epochShift == b.epoch {
			return v
		}
	}
	w.wait.Begin()
	for {
		nap := w.wait.Step()
		if far := w.absence.relay; far != nil && far.mesh.busy(&w.wait) {
			far.failed = cmp.Or(far.failed, far.mesh.progress())
		} else if nap > 0 {
			nap = idle.LongestNap
		}
		if nap > 0 {
			b.sleep(nap, b.all)
		}
		failed := p.desk.hasFailed()
		if v := atomic.LoadUint64(word); v>>epochShift == b.epoch || failed {
			return v
		}
	}
}

// fail makes an error the result of all later calls, and has members that wait for this rank
// fail too.
func (w *world) fail(err error) error {
	w.err = err
	w.board.fail()
	return err
}

// Abort ends all processes of the run. It first drains the output of this process.
func (w *world) Abort(code int) {
	drainOutput()
	w.process.comm.Abort(code)
	select {}
}

// all returns the Comm of all ranks.
func (p *process) all() (Comm, error) {
	members := 0
	for _, base := range p.reach {
		if base != nil {
			members++
		}
	}
	mem := p.arena.zeroed(boardBytes(members))
	if mem == nil {
		return nil, errors.New("mpi: out of memory")
	}
	place, _ := p.arena.place(unsafe.Pointer(unsafe.SliceData(mem)))
	places := make([]int, len(p.engine.Nodes))
	for r, row := range p.table(int64(place)) {
		places[r] = int(row[0])
	}
	w := newWorld(p, places)
	if nodes := p.nodes(); len(nodes.leaders) > 1 {
		if p.wait.Mode != idle.Napping { // a rank that naps has a quota, which the Go runtime's own threads would use up
			idle.SparePlace()
		}
		m, err := newMesh(p.on, nodes)
		if err != nil {
			return nil, err
		}
		if err := p.findRadix(m, nodes); err != nil {
			return nil, err
		}
		w.join(m, nodes)
	}
	w.describe()
	return w, nil
}

// Close waits for all ranks.
func (w *world) Close() error {
	if w.absence.present != nil {
		return errSomeAway
	}
	if w.err != nil {
		return fmt.Errorf("mpi: closed after a failure: %w", w.err)
	}
	l := w.Lane(0)
	for r := range l.Out {
		l.Out[r].Bytes = l.Out[r].Bytes[:0]
	}
	if _, err := w.Exchange(l, 0); err != nil {
		return err
	}
	w.runs.drain()
	if w.relay != nil {
		w.relay.mesh.close()
	}
	w.err = errors.New("mpi: the Comm is closed")
	return w.process.finish()
}

func (w *world) Give(dst int, on Channel, data []byte, copied bool) error {
	return w.runs.give(dst, on, data, copied)
}

func (w *world) Take(src int, on Channel, data []byte) Run { return w.runs.take(src, on, data) }

func (w *world) Settle(on Channel) error { return w.runs.settle(on) }

func (w *world) Poll(patience time.Duration) (src int, data []byte, err error) {
	return w.runs.nextWithin(patience)
}
