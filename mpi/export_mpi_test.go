//go:build mpi && cgo

package mpi

import (
	"cmp"
	"fmt"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/mpi/internal/idle"
	"github.com/migbsp/migbsp/mpi/rounds"
)

// Messages returns the number of messages of the MPI library that this rank has sent in exchanges
// so far.
func Messages(c Comm) int {
	if r := c.(*world).absence.relay; r != nil {
		return int(r.mesh.c.messages)
	}
	return 0
}

// Steps returns the number of messages that a node sends in the rounds of an empty exchange between
// that many nodes of c.
func Steps(c Comm, nodes, node int) int {
	rule := c.(*world).absence.relay.mesh.rule
	tree := rule.tree(nodes)
	if tree == nil {
		return len(rule.plan(nodes).Steps)
	}
	n := 0
	for _, e := range tree.Edges(node) {
		if e.Sends {
			n++
		}
	}
	return n
}

// Climbs reports whether exchanges between that many nodes of c go up a tree, dense ones
// too.
func Climbs(c Comm, nodes int) bool { return c.(*world).absence.relay.mesh.rule.tree(nodes) != nil }

// RoundCost measures the cost of a round between the nodes of c. All ranks call it.
func RoundCost(c Comm) (int, error) {
	w := c.(*world)
	if w.absence.relay == nil {
		return rounds.UsualCost, nil
	}
	return w.process.measureLines(w.absence.relay.mesh, w.absence.nodes)
}

// Rounds returns the number of rounds of an empty exchange between that many nodes of c.
func Rounds(c Comm, nodes int) int {
	rule := c.(*world).absence.relay.mesh.rule
	if rule.tree(nodes) != nil {
		return 3
	}
	return rule.plan(nodes).Rounds
}

// LateRounds makes rank 0 the last to arrive at rounds of two messages after each other, when all
// its data has arrived, with an earlier piece still in flight. Rank 1 plays all the other nodes.
// All ranks call it.
func LateRounds(c Comm) error {
	w := c.(*world)
	nodes := nodeTable{leaders: []int{w.rank}}
	switch w.rank {
	case 0:
		nodes.leaders = []int{0, 1, 1, 1, 1, 1, 1, 1, 1}
	case 1:
		nodes.leaders = []int{1, 0, 0, 0, 0} // as many messages, in one round
	}
	if plan := rounds.For(9); w.rank == 0 && (plan.Rounds != 2 || len(plan.Steps) != len(rounds.For(5).Steps)) {
		return fmt.Errorf("9 nodes make %d rounds of %d messages, 5 nodes send %d", plan.Rounds, len(plan.Steps), len(rounds.For(5).Steps))
	}
	m, err := newMesh(c.(*world).process.on, nodes)
	if err != nil {
		return err
	}
	if w.rank > 1 {
		m = nil
	} else {
		m.useSlots(unsafe.Pointer(unsafe.SliceData(w.process.arena.zeroed(m.slotBytes()))))
	}
	if w.rank == 1 {
		err = m.rounds(0, 1, 2, nil, &w.wait)
	}
	if _, failed := c.Exchange(c.Lane(0), 0); err != nil || failed != nil {
		return cmp.Or(err, failed)
	}
	limit := time.Now().Add(20 * time.Second)
	if w.rank == 0 {
		for arrived := time.Now().Add(200 * time.Millisecond); time.Now().Before(arrived); {
			if err := m.progress(); err != nil {
				return err
			}
		}
		mem := w.process.arena.zeroed(64)
		if err := cmp.Or(m.receivePiece(0, unsafe.Pointer(&mem[32]), 32), m.sendPiece(0, mem[:32])); err != nil {
			return err
		}
		err = m.rounds(0, 1, 1, nil, &w.wait)
	}
	for ; m != nil && err == nil && !(m.roundsDone() && m.leadDone() && m.done()); err = m.poll(w.wait.Polls) {
		if time.Now().After(limit) {
			return fmt.Errorf("the rounds do not end: done %v, lead %d, all %d", m.roundsDone(), m.c.lead_left, m.c.left)
		}
		idle.Yield()
	}
	if m != nil && err == nil {
		if flags := m.flags(); flags != 3 {
			return fmt.Errorf("flags are %d, want 3", flags)
		}
	}
	return err
}

// Packed returns the number of bytes that this rank has kept for parcels of several pieces.
func Packed(c Comm) int {
	if r := c.(*world).relay; r != nil {
		return r.leading.packed.room
	}
	return 0
}

// Again returns another Comm of all ranks. All ranks call it.
func Again(c Comm) (Comm, error) { return c.(*world).process.all() }

// Fail simulates a failed call of the MPI library on this rank.
func Fail(c Comm, err error) { c.(*world).fail(err) }
