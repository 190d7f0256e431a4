//go:build mpi && cgo

package mpi

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/migbsp/migbsp/mpi/internal/idle"
)

// absence is a rank's view of the ranks that take part.
type absence struct {
	relay   *relay    // w.relay, also while all that take part are members
	nodes   nodeTable // of all ranks
	present []bool    // nil: all
	parting []int     // members that must leave their mark before the next exchange
	leaves  []uint32  // number of departures by member
	rung    uint32    // number of recalls of this board's absent members
	retired []retired
}

// retired is memory of slots that members may still read from: see retire.
type retired struct {
	slots  part[byte]
	counts [Lanes]uint
}

func (w *world) Attend(present []bool, note []byte) (from []byte, err error) {
	if w.err != nil {
		return nil, w.err
	}
	if present == nil {
		return nil, w.recall(note)
	}
	a := &w.absence
	if err := checkAttend(present, w.Size()); err != nil {
		return nil, err
	}
	if a.present != nil {
		return nil, errSomeAway
	}
	if !slices.Contains(present, false) {
		return nil, nil
	}
	if a.leaves == nil {
		a.leaves = make([]uint32, len(w.members))
	}
	a.parting = a.parting[:0]
	for m, r := range w.members {
		if !present[r] {
			a.leaves[m]++
			a.parting = append(a.parting, m)
		}
	}
	a.present = slices.Clone(present)
	if present[w.rank] {
		w.meetAmong(a.present)
		return nil, nil
	}
	for k := range w.lanes {
		w.lanes[k].drop()
	}
	me := w.board.me
	atomic.StoreUint32(&w.board.bells[me].left, a.leaves[me])
	s, err := w.summoned()
	if err == nil {
		err = w.pass(s)
	}
	if err == nil {
		err = w.part()
	}
	if err != nil {
		return nil, w.fail(err)
	}
	a.rung++
	w.board.epoch = s.epoch
	w.returned()
	return slices.Clone(s.note[:s.length]), nil
}

// part waits until those members that leave have done so, before an exchange without
// them, or with them again.
func (w *world) part() error {
	a := &w.absence
	for _, m := range a.parting {
		left := &w.board.bells[m].left
		gone := func() bool { return atomic.LoadUint32(left) == a.leaves[m] }
		if gone() {
			continue
		}
		w.wait.Until(func() bool { return w.err != nil || gone() }, func(int) bool {
			if w.board.desks[m].hasFailed() && !gone() {
				w.fail(errMember)
			}
			return w.progress() != nil
		})
		if w.err != nil {
			return w.err
		}
	}
	a.parting = a.parting[:0]
	return nil
}

// progress calls the library while this rank waits for other events.
func (w *world) progress() error {
	if far := w.absence.relay; far != nil {
		if err := far.mesh.progress(); err != nil {
			return w.fail(err)
		}
	}
	return nil
}

// meetAmong sets the ranks that this rank meets: those present, which include this rank. nil means
// all.
func (w *world) meetAmong(present []bool) {
	is := func(r int) bool { return present == nil || present[r] }
	a, b := &w.absence, w.board
	b.peers = nil
	leader := len(w.members)
	for m, r := range w.members {
		if is(r) {
			leader = min(leader, m)
		} else {
			w.words[m] = 0
		}
	}
	for _, p := range b.others {
		if is(w.members[p.member]) {
			b.peers = append(b.peers, p)
		}
	}
	w.wait = w.process.waitAmong(len(w.members) - 1 - len(b.peers))
	if a.relay == nil {
		return
	}
	w.remote = w.remote[:0]
	for r, m := range w.member {
		if m < 0 && is(r) {
			w.remote = append(w.remote, r)
		}
	}
	w.relay = nil
	a.relay.folding.lane.Most, a.relay.folding.lane.Made = 0, nil
	if len(w.remote) > 0 {
		w.relay = a.relay
		a.attend(w, a.nodes.among(present, w.rank), leader)
	}
	if w.relay != nil && w.relay.leads() {
		w.wait = w.wait.ForMessages()
	}
}

// attend sets the relay's nodes, and the member that leads this node.
func (a *absence) attend(w *world, nodes nodeTable, leader int) {
	r := a.relay
	r.clear()
	r.node, r.alone, r.me, r.leader = nodes.of, nodes.alone, nodes.me, leader
	r.leading.loads = make([]load, len(nodes.leaders))
	r.here = append(r.here[:0], w.board.me)
	for _, p := range w.board.peers {
		r.here = append(r.here, p.member)
	}
	r.leading.dealt = append(r.leading.dealt[:0], dealtPiece{}) // clears desks on which another leader dealt
	r.mesh.attend(nodes)
	r.foldsAmong(nodes)
	a.retire(w)
	if r.leads() {
		r.leading.slots.reserve(r.mesh.slotBytes())
		r.mesh.useSlots(r.leading.slots.at())
	}
}

// retire sets the mesh's present slots aside, and frees slots that no rank reads any more. The
// bytes of an exchange stay in place until all ranks of the node have begun the next exchange on
// the same lane, and so at the latest until that exchange has returned on this rank.
func (a *absence) retire(w *world) {
	var counts [Lanes]uint
	for k := range counts {
		counts[k] = w.lanes[k].count
	}
	a.retired = slices.DeleteFunc(a.retired, func(old retired) bool {
		for k := range counts {
			if old.counts[k] == counts[k] {
				return false
			}
		}
		old.slots.close()
		return true
	})
	if s := &a.relay.leading.slots; s.room > 0 {
		a.retired = append(a.retired, retired{*s, counts})
		s.room = 0
	}
}

// callers lists for each node the rank that calls others back or is called back: first the leaders
// of the nodes that are present, awake in number, then the first ranks of the absent nodes in the
// order of the calls. mine is this rank's index in the list, or -1.
//
// With k nodes awake, node i calls node i+k first, then i+2k, i+4k and so on: after each step twice
// as many are awake.
func (a *absence) callers(rank int) (ranks []int, awake, mine int) {
	if a.relay == nil {
		return nil, 0, -1
	}
	here := a.nodes.among(a.present, slices.Index(a.present, true))
	ranks, awake = slices.Clone(here.leaders), len(here.leaders)
	seen := make([]bool, len(a.nodes.leaders))
	for _, r := range ranks {
		seen[a.nodes.of[r]] = true
	}
	for node, r := range a.nodes.leaders {
		if !seen[node] {
			ranks = append(ranks, r)
		}
	}
	return ranks, awake, slices.Index(ranks, rank)
}

// caller returns the index of the rank that calls the rank at index i.
func caller(i, awake int) int {
	for awake*2 <= i {
		awake *= 2
	}
	return i - awake
}

// pass calls back the nodes for which this rank is the caller.
func (w *world) pass(s *summons) error {
	ranks, awake, mine := w.absence.callers(w.rank)
	if mine < 0 {
		return nil
	}
	for step := awake; step < len(ranks); step *= 2 {
		if to := mine + step; mine < step && to < len(ranks) {
			if err := w.runs.give(ranks[to], recallRuns, s.bytes(), true); err != nil {
				return err
			}
		}
	}
	return nil
}

// ring calls back the absent members of this board.
func (w *world) ring(s *summons) {
	bell := w.board.bells[0]
	bell.summons = *s
	atomic.AddUint32(&bell.turn, 1)
	idle.WakeAll(&bell.turn)
}

// recall calls the absent back.
func (w *world) recall(note []byte) error {
	a := &w.absence
	if a.present == nil {
		return nil
	}
	if err := checkNote(note); err != nil {
		return err
	}
	if err := w.part(); err != nil {
		return err
	}
	s := &summons{epoch: w.board.epoch, length: uint64(len(note))}
	copy(s.note[:], note)
	if len(w.board.peers) < len(w.board.others) {
		a.rung++
		if first := slices.IndexFunc(w.members, func(r int) bool { return a.present[r] }); first == w.board.me {
			w.ring(s)
		}
	}
	if err := w.pass(s); err != nil {
		return w.fail(err)
	}
	w.returned()
	return nil
}

func (w *world) returned() {
	w.absence.present = nil
	w.meetAmong(nil)
}

// An absent rank naps for a part of the time that it has been away, and may come back late by
// as much. Before its first nap, a rank that has a core of its own yields for a while: a rank whose
// processes left by the program's own wish is often called back at once.
const (
	awayPart     = 64
	shortestAway = 100 * time.Microsecond
	longestAway  = 10 * time.Millisecond
	awayAwake    = 2 * time.Millisecond
	// longestRung is for ranks that are woken, and look only whether the library has
	// something to do.
	longestRung = time.Second
)

// summoned sleeps until this rank is called back, by message if it answers for a node that
// is absent.
func (w *world) summoned() (*summons, error) {
	a := &w.absence
	begun, wait, bell := time.Now(), w.wait, w.board.bells[0]
	wait.Patient = true
	wait.Begin()
	looks := func() bool { return wait.Step() == 0 && !wait.Crowded && wait.Waited() <= awayAwake }
	if ranks, awake, mine := a.callers(w.rank); mine >= 0 {
		s := new(summons)
		u := w.runs.take(ranks[caller(mine, awake)], recallRuns, s.bytes())
		for w.runs.poll(1); u.missing > 0 && w.err == nil; w.runs.poll(1) {
			if !looks() {
				idle.LongNap(min(max(time.Since(begun)/awayPart, shortestAway), longestAway))
			}
		}
		if w.err == nil && len(w.members) > 1 {
			w.ring(s)
		}
		return s, u.Drop()
	}
	ringer := w.board.desks[max(0, slices.IndexFunc(w.members, func(r int) bool { return a.present[r] }))]
	for atomic.LoadUint32(&bell.turn) == a.rung {
		if ringer.hasFailed() && atomic.LoadUint32(&bell.turn) == a.rung {
			return nil, errMember
		}
		if err := w.progress(); err != nil {
			return nil, err
		}
		if !looks() {
			idle.LongSleepWhile(&bell.turn, a.rung, min(max(time.Since(begun), longestAway), longestRung))
		}
	}
	s := bell.summons
	return &s, nil
}
