//go:build mpi && cgo

package mpi

/*
#cgo linux CFLAGS: -O2 -pthread
#cgo linux,amd64 CFLAGS: -I/usr/lib/x86_64-linux-gnu/openmpi/include -I/usr/include/openmpi-x86_64
#cgo linux,arm64 CFLAGS: -I/usr/lib/aarch64-linux-gnu/openmpi/include -I/usr/include/openmpi-aarch64
#cgo linux,amd64 LDFLAGS: -L/usr/lib/x86_64-linux-gnu/openmpi/lib -L/usr/lib64/openmpi/lib -lmpi
#cgo linux,arm64 LDFLAGS: -L/usr/lib/aarch64-linux-gnu/openmpi/lib -L/usr/lib64/openmpi/lib -lmpi
#cgo linux LDFLAGS: -ldl
#include "exchange.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/migbsp/migbsp/mpi/internal/idle"
	"github.com/migbsp/migbsp/mpi/rounds"
)

// mesh is a rank's connection to the ranks of other nodes. The C side posts and polls; the waiting
// is done here.
//
// When a request is complete, the library may still hold the end of a long message, or its answer,
// which a full socket takes only in a later call. So a rank that has sent or received something
// goes on calling the library in its waits until the bytes have certainly been delivered: until the
// next exchange but one, because no rank enters an exchange before it has left the previous one.
// Otherwise the rank might wait for ranks that wait for these bytes.
type mesh struct {
	c      *C.mb_mesh
	rule   radixRule
	talked bool // something was sent or received since the last exchange was over
	before bool // or in that exchange
	mails  int  // messages in flight to ranks that may be late to take them
}

// parcel is all bytes that a node has for another node in an exchange: see exchange.h.
type parcel = C.mb_parcel

func newParcel(node int, content unsafe.Pointer, n int) parcel {
	return parcel{dst: C.uint32_t(node), content: (*C.char)(content), len: C.size_t(n)}
}

// newMesh connects the nodes in a new communicator. All ranks call it.
func newMesh(on Handle, nodes nodeTable) (*mesh, error) {
	m := &mesh{rule: radixRule{cost: rounds.UsualCost}}
	if code := C.mb_mesh_new(C.int(on), &m.c); code != 0 {
		return nil, mpiError("make a communicator", code)
	}
	m.attend(nodes)
	return m, nil
}

// attend makes these the nodes of the rounds.
func (m *mesh) attend(nodes nodeTable) {
	leaders := make([]C.int, len(nodes.leaders))
	for i, r := range nodes.leaders {
		leaders[i] = C.int(r)
	}
	C.mb_attend(m.c, C.int(len(leaders)), unsafe.SliceData(leaders), C.int(nodes.me))
	usual, tree := m.rule.plan(len(leaders)), m.rule.tree(len(leaders))
	if tree != nil {
		m.climb(tree, nodes.me)
	} else {
		m.follow(0, usual, nodes.me)
	}
	if dense := rounds.ForDense(len(leaders), usual); tree == nil && dense != nil {
		m.follow(1, dense, nodes.me)
	}
}

// follow makes p the plan of a course: 0 for usual exchanges, 1 for dense ones.
func (m *mesh) follow(course int, p *rounds.Plan, me int) {
	steps := []C.mb_step{{}}[:0]
	for _, s := range p.Steps {
		to, from := (me+s.Distance)%p.Nodes, (me-s.Distance+p.Nodes)%p.Nodes
		steps = append(steps, C.mb_step{round: C.int(s.Round), to: C.int(to), from: C.int(from), digit: C.int(s.Digit)})
	}
	m.take(course, C.mb_plan{C.int(p.Radix), 0, C.size_t(p.SlotBytes), C.size_t(p.InlineBytes)}, steps)
}

// climb makes a tree the plan of course 0.
func (m *mesh) climb(t *rounds.Tree, me int) {
	steps := []C.mb_step{{}}[:0]
	for _, e := range t.Edges(me) {
		s := C.mb_step{round: C.int(e.Round), to: -1, from: -1, first: C.int(e.First), count: C.int(e.Count)}
		if e.Sends {
			s.to = C.int(e.Node)
		}
		if e.Receives {
			s.from = C.int(e.Node)
		}
		steps = append(steps, s)
	}
	m.take(0, C.mb_plan{0, 0, C.size_t(t.SlotBytes), C.size_t(t.InlineBytes)}, steps)
}

func (m *mesh) take(course int, p C.mb_plan, steps []C.mb_step) {
	p.steps = C.int(len(steps))
	C.mb_follow(m.c, C.int(course), &p, unsafe.SliceData(steps))
}

// close ends the mesh, when all ranks have come to its end.
func (m *mesh) close() { C.mb_mesh_close(m.c) }

// rounds starts the rounds of an exchange: a leader's.
func (m *mesh) rounds(lane int, serial uint32, flags Flags, parcels []parcel, wait *idle.Waiter) error {
	m.talked = true
	return mpiError("exchange", C.mb_rounds(m.c, C.int(lane), C.uint32_t(serial), C.uint64_t(flags), C.int(len(parcels)), unsafe.SliceData(parcels), C.int(min(wait.Polls, idle.PollsAtOnce))))
}

// flags and got return the results of the rounds.
func (m *mesh) flags() Flags { return Flags(m.c.flags & (1<<C.MB_FLAG_BITS - 1)) }

func (m *mesh) got() []parcel { return unsafe.Slice(m.c.got, int(m.c.gots)) }

// giveFold gives the bytes of this node that the next rounds fold. turn, on the rank that folds,
// passes the result to the rounds, and resumes them.
func (m *mesh) giveFold(data []byte) {
	C.mb_fold(m.c, (*C.char)(unsafe.Pointer(unsafe.SliceData(data))), C.size_t(len(data)))
}

func (m *mesh) turn(data []byte) error {
	return mpiError("exchange", C.mb_turn(m.c, (*C.char)(unsafe.Pointer(unsafe.SliceData(data))), C.size_t(len(data))))
}

// given returns the bytes that other nodes have given, and folded the result.
func (m *mesh) given() []parcel { return unsafe.Slice(m.c.given, int(m.c.givens)) }

func (m *mesh) folded() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(m.c.folded)), int(m.c.folded_len))
}

func (m *mesh) receiveParcel(p *parcel, at unsafe.Pointer) error {
	p.content = (*C.char)(at)
	return mpiError("exchange", C.mb_receive_parcel(m.c, C.int(p.src), at, p.len))
}

func (m *mesh) sendPiece(dst int, data []byte) error {
	m.talked = true
	return mpiError("exchange", C.mb_send_piece(m.c, C.int(dst), unsafe.Pointer(unsafe.SliceData(data)), C.size_t(len(data))))
}

func (m *mesh) receivePiece(src int, at unsafe.Pointer, n int) error {
	m.talked = true
	return mpiError("exchange", C.mb_receive_piece(m.c, C.int(src), at, C.size_t(n)))
}

// Conditions that a rank waits for in an exchange: the rounds are done; all nodes' contributions to
// a fold are here; one of the two; the leader's part is done; the whole exchange is done.
func (m *mesh) roundsDone() bool { return m.c.rounds_done != 0 }

func (m *mesh) turns() bool { return m.c.turns != 0 }

func (m *mesh) goneUp() bool { return m.turns() || m.roundsDone() }

func (m *mesh) leadDone() bool { return m.c.lead_left == 0 }

func (m *mesh) done() bool { return m.c.left == 0 }

// finish polls until a part of the exchange is done.
func (m *mesh) finish(part func(*mesh) bool, wait *idle.Waiter) (err error) {
	wait.Until(func() bool { return err != nil || part(m) }, func(polls int) bool {
		left := m.c.left
		err = m.poll(polls)
		return m.c.left < left
	})
	return err
}

func (m *mesh) poll(polls int) error { return mpiError("exchange", C.mb_poll(m.c, C.int(polls))) }

// endLead ends the leader's part of an exchange.
func (m *mesh) endLead() { C.mb_lead_over(m.c) }

// inlineBytes returns the maximum length of a parcel that the lane's next rounds carry.
func (m *mesh) inlineBytes(lane int) int { return int(C.mb_inline_max(m.c, C.int(lane))) }

func (m *mesh) slotBytes() int { return int(C.mb_slots(m.c)) }

func (m *mesh) useSlots(at unsafe.Pointer) { C.mb_use_slots(m.c, (*C.char)(at)) }

// busy reports whether the library needs calls for pending transfers, or may need them. That is
// rare, and a call costs more than all else in short waits.
func (m *mesh) busy(wait *idle.Waiter) bool {
	return m.c.left > 0 || m.mails > 0 || (m.talked || m.before) && wait.Waited() > idle.LongestNap
}

// over marks the exchange as over: all ranks have come to it.
func (m *mesh) over() { m.before, m.talked = m.talked, false }

// progress calls the library while this rank waits for other events.
func (m *mesh) progress() error {
	code := C.int(0)
	if m.c.left > 0 {
		code = C.mb_poll(m.c, 1)
	}
	if code == 0 {
		code = C.mb_progress(m.c)
	}
	return mpiError("exchange", code)
}

// mpiError is nil for code 0.
func mpiError(what string, code C.int) error {
	switch code {
	case 0:
		return nil
	case C.MB_OUT_OF_STEP:
		return errOutOfStep
	case C.MB_WRONG_LENGTH:
		return errors.New("mpi: " + what + ": fewer bytes were sent than were to come")
	}
	var text [1024]C.char
	C.mb_error_text(code, &text[0], C.int(len(text)))
	return errors.New("mpi: " + what + ": " + C.GoString(&text[0]))
}

// findPlace returns the lowest rank of this rank's node, the number of the machine's ranks, and the
// number of processors that they may use.
func findPlace(on Handle, nodeSize int) (p C.mb_place, err error) {
	if code := C.mb_start(C.int(on), C.int(nodeSize), &p); code != 0 {
		return p, fmt.Errorf("find the ranks of a node: %w", mpiError("start", code))
	}
	return p, nil
}

// measure measures the lines to leaders at distances of powers of two.
func (m *mesh) measure(nodes nodeTable) (l lineCost, err error) {
	for bit := 1; bit < len(nodes.leaders); bit *= 2 {
		other := nodes.me ^ bit
		if other >= len(nodes.leaders) {
			continue
		}
		first := C.int(0)
		if nodes.me < other {
			first = 1
		}
		var post, back C.double
		if code := C.mb_line(m.c, C.int(nodes.leaders[other]), first, &post, &back); code != 0 {
			return l, mpiError("measure a line", code)
		}
		if first == 0 {
			continue
		}
		one := lineCost{max(1, int64(post*1e9)), max(1, int64(back/2*1e9)-int64(post*1e9))}
		if l.post == 0 || one.post < l.post {
			l.post = one.post
		}
		l.way = max(l.way, one.way)
	}
	return l, nil
}
