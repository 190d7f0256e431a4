//go:build mpi && cgo

package mpi

/*
#include "exchange_direct.h"
*/
import "C"

import (
	"cmp"
	"runtime"
	"slices"
	"unsafe"
)

// straight carries runs between ranks of different nodes (Direct): bytes that the library
// takes from the sender's memory and writes into the receiver's.
//
// A run goes in pieces. Between two ranks and on one channel they go in order, so many at
// a time that the network is busy and the library has few requests to look through.
//
// Memory of the Go heap is registered with a network adapter only if there is none.
// Adapters keep memory that they have sent from registered, to be faster the next time, and
// watch the C library for calls that give it back; Go's own calls they do not see. Where
// there is an adapter, a run of such memory goes through two pieces of the arena at either
// end, of which one is copied while the other is on its way. Pieces are the same on both
// sides, so that each decides for itself.
type straight struct {
	c       *C.mb_direct
	mesh    *mesh
	process *process
	waiter  *waiter
	ways    map[wayKey]*way
	all     [channels][]*run // given or taken since the last Settle
	left    [channels]int    // of these, not complete

	flights []flight // by number of a piece on its way
	free    []int    // numbers
	spare   []*run
	landed  []int // numbers, in poll
	err     error
}

// run is a run of bytes on its way.
type run struct {
	data    []byte
	posted  int // bytes in pieces that were posted
	front   int // bytes in pieces that are complete, from the first one on
	pieces  []bool
	missing int // pieces that are not complete
	copied  int // place of an own copy in the arena, 0 if none
	bounce  bool
	dropped bool
	pin     runtime.Pinner
}

type wayKey struct {
	rank int
	on   Channel
	give bool
}

// way is a queue of runs.
type way struct {
	wayKey
	runs   []*run // not complete
	next   int    // the one whose pieces are posted
	flying int    // pieces
	bounce [2]part[byte]
	taken  [2]bool // a piece uses it
}

// flight is a piece on its way.
type flight struct {
	way    *way
	run    *run
	piece  int
	bounce int // which of the way's two pieces carries it, -1 if none
}

const (
	// directPiece is the length of a piece. Longer ones would keep the end of a run
	// waiting for its copy, shorter ones cost more messages.
	directPiece = 4 << 20
	// directFlying is how many pieces of a way may fly.
	directFlying = 8
	// directFrom is the length from which a run is faster than a lane.
	directFrom = 160 << 10
)

func newStraight(m *mesh, p *process, w *waiter) *straight {
	return &straight{c: C.mb_direct_new(m.c), mesh: m, process: p, waiter: w, ways: make(map[wayKey]*way)}
}

func (s *straight) run(r Run) *run { return s.all[int(r)%int(channels)][int(r)/int(channels)] }

// start begins a run.
func (s *straight) start(key wayKey, data []byte) *run {
	y := s.ways[key]
	if y == nil {
		y = &way{wayKey: key}
		for i := range y.bounce {
			y.bounce[i].arena = s.process.arena
		}
		s.ways[key] = y
	}
	u := &run{}
	if n := len(s.spare); n > 0 {
		u, s.spare = s.spare[n-1], s.spare[:n-1]
	}
	pieces := (len(data) + directPiece - 1) / directPiece
	*u = run{data: data, pieces: u.pieces[:0], missing: pieces, bounce: !s.process.sendable(data)}
	for range pieces {
		u.pieces = append(u.pieces, false)
	}
	if pieces > 0 && !u.bounce {
		u.pin.Pin(unsafe.SliceData(data))
	}
	s.all[key.on] = append(s.all[key.on], u)
	if pieces > 0 {
		s.left[key.on]++
		y.runs = append(y.runs, u)
		s.pump(y)
	}
	return u
}

// pump posts as many pieces of a way as may fly.
func (s *straight) pump(y *way) {
	for s.err == nil && y.next < len(y.runs) && y.flying < directFlying {
		run := y.runs[y.next]
		if run.posted == len(run.data) {
			y.next++
			continue
		}
		n := min(directPiece, len(run.data)-run.posted)
		f := flight{y, run, run.posted / directPiece, -1}
		at := unsafe.Pointer(&run.data[run.posted])
		if run.bounce {
			f.bounce = 0
			if y.taken[0] {
				f.bounce = 1
			}
			if y.taken[f.bounce] {
				return
			}
			y.taken[f.bounce] = true
			b := &y.bounce[f.bounce]
			b.reserve(directPiece)
			if at = b.at(); y.give {
				copy(b.slice(n), run.data[run.posted:])
			}
		}
		run.posted += n
		s.post(f, at, n)
	}
}

// post hands a piece to the library.
func (s *straight) post(f flight, at unsafe.Pointer, n int) {
	if len(s.free) == 0 {
		s.free, s.flights = append(s.free, len(s.flights)), append(s.flights, flight{})
	}
	number := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	s.flights[number] = f
	f.way.flying++
	var code C.int
	s.mesh.talked = true
	if f.way.give {
		code = C.mb_direct_send(s.c, C.int(number), C.int(f.way.rank), C.int(f.way.on), C.size_t(len(f.run.data)), C.uintptr_t(uintptr(at)), C.size_t(n))
	} else {
		code = C.mb_direct_receive(s.c, C.int(number), C.int(f.way.rank), C.int(f.way.on), C.size_t(len(f.run.data)), C.uintptr_t(uintptr(at)), C.size_t(n))
	}
	s.fail(mpiError("send from memory to memory", code))
}

func (s *straight) fail(err error) { s.err = cmp.Or(s.err, err) }

// poll looks for pieces that are complete, and posts others in their place. It reports
// whether there were some.
func (s *straight) poll(polls int) bool {
	if len(s.free) == len(s.flights) || s.err != nil {
		return false
	}
	var n C.int
	var numbers *C.int
	if s.fail(mpiError("send from memory to memory", C.mb_direct_test(s.c, C.int(polls), &n, &numbers))); s.err != nil {
		return false
	}
	s.landed = s.landed[:0]
	for _, number := range unsafe.Slice(numbers, int(n)) { // which the next post may free
		s.landed = append(s.landed, int(number))
	}
	for _, number := range s.landed {
		f := s.flights[number]
		s.flights[number] = flight{}
		s.free = append(s.free, number)
		s.land(f)
		s.pump(f.way)
	}
	return n > 0
}

// land ends the flight of a piece.
func (s *straight) land(f flight) {
	y, run := f.way, f.run
	y.flying--
	if f.bounce >= 0 {
		y.taken[f.bounce] = false
		if !y.give && !run.dropped {
			at := f.piece * directPiece
			copy(run.data[at:], y.bounce[f.bounce].slice(min(directPiece, len(run.data)-at)))
		}
	}
	run.pieces[f.piece] = true
	for k := run.front / directPiece; k < len(run.pieces) && run.pieces[k]; k++ {
		run.front = min((k+1)*directPiece, len(run.data))
	}
	run.missing--
	s.complete(y, run)
}

// drop takes the receipts of a run back. Those that were posted are complete when the
// library says so.
func (s *straight) drop(u *run) {
	if u.missing == 0 {
		return
	}
	u.dropped = true
	for number, f := range s.flights {
		if f.run == u {
			s.fail(mpiError("send from memory to memory", C.mb_direct_cancel(s.c, C.int(number))))
		}
	}
	u.missing -= (len(u.data) - u.posted + directPiece - 1) / directPiece
	u.posted = len(u.data)
	for _, y := range s.ways {
		if slices.Contains(y.runs, u) {
			s.complete(y, u)
			s.pump(y)
		}
	}
}

// complete ends a run of which no piece is missing.
func (s *straight) complete(y *way, run *run) {
	if run.missing > 0 {
		return
	}
	run.pin.Unpin()
	if run.copied > 0 {
		s.process.arena.give(run.copied)
	}
	s.left[y.on]--
	done := 0
	for done < len(y.runs) && y.runs[done].missing == 0 {
		done++
	}
	if done > 0 {
		y.runs = append(y.runs[:0], y.runs[done:]...)
		y.next = max(0, y.next-done)
	}
}

// retire keeps the runs of a channel for new ones.
func (s *straight) retire(on Channel) {
	for _, u := range s.all[on] {
		*u = run{pieces: u.pieces[:0]}
		s.spare = append(s.spare, u)
	}
	clear(s.all[on])
	s.all[on] = s.all[on][:0]
}

// wait polls until something is done. The wait for a piece begins when the last one has
// come: while pieces come, others are on their way, which a nap would hold up.
func (s *straight) wait(done func() bool) {
	w := s.waiter
	for came := true; ; {
		if s.err != nil || done() {
			return
		}
		if came {
			w.begin()
		} else if nap := w.step(); nap > 0 {
			nanosleep(nap)
		}
		came = false
		w.looks(func(polls int) bool {
			came = s.poll(polls)
			return came || s.err != nil
		})
	}
}
