//go:build mpi && cgo

package mpi

/*
#include "exchange.h"
*/
import "C"

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/mpi/internal/idle"
)

// transfer carries runs from this rank to others, and from others to it. Between ranks of different
// nodes the library takes the bytes from the sender's memory and writes them into the receiver's;
// to a member they go as a message (mail).
//
// A run between nodes goes in pieces. Between two ranks and on one channel the pieces go in order,
// piecesFlying at a time: enough to keep the network busy, and few requests for the library to look
// through.
//
// With a network adapter, memory of the Go heap is not passed to the library: the library keeps
// memory registered with the adapter, to be faster the next time, and watches the C library for
// calls that give it back; it does not see Go's own calls. A run of such memory goes through two
// pieces of the arena at either end: one is copied while the other is in flight. Pieces are equally
// long on both sides, so each side decides for itself.
type transfer struct {
	process *process
	board   *board
	members []int // ranks, by member
	member  []int // by rank, -1 if it is none
	mail    mail
	mesh    *mesh // nil if all ranks are members, as is c
	c       *C.mb_runs
	waiter  *idle.Waiter
	failed  *error // of the world
	ways    map[wayKey]*way
	near    []*way               // from members
	taken   [channels + 1][]*run // since the last Settle, by channel
	left    [channels + 1]int    // runs given or taken that are not complete

	flights []flight // by number of a piece in flight
	free    []int    // numbers
	spare   []*run
	landed  []int // numbers, in poll

	turn   int    // where the next Poll looks first: a member, or after them other nodes
	posted []byte // the message returned by the last Poll
}

// recallRuns is the channel of messages that call nodes back.
const recallRuns = channels

// run is a run of bytes in flight.
type run struct {
	transfer *transfer
	way      *way
	data     []byte
	posted   int // bytes in pieces that were posted
	front    int // bytes in pieces that are complete, from the first one on
	pieces   []bool
	missing  int // pieces that are not complete
	copied   int // offset of an own copy in the arena, 0 if none
	bounce   bool
	pin      runtime.Pinner
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

// flight is a piece in flight.
type flight struct {
	run    *run
	piece  int
	bounce int // the buffer, of the queue's two, that carries it, -1 if none
}

const (
	// pieceBytes is the length of a piece. Longer ones would keep the end of a run
	// waiting for its copy, shorter ones cost more messages.
	pieceBytes = 4 << 20
	// piecesFlying is the maximum number of pieces of a queue in flight.
	piecesFlying = 8
	// runFrom is the least length of a run that is faster than a lane.
	runFrom = 160 << 10
)

func newTransfer(p *process, b *board, members, member []int, w *idle.Waiter, failed *error) *transfer {
	return &transfer{process: p, board: b, members: members, member: member, mail: newMail(b), waiter: w, failed: failed, ways: make(map[wayKey]*way)}
}

// join adds the connection to ranks that are no members.
func (t *transfer) join(m *mesh) { t.mesh, t.c = m, C.mb_runs_new(m.c) }

func (t *transfer) fail(err error) error {
	if *t.failed == nil && err != nil {
		*t.failed = err
		t.board.fail()
	}
	return *t.failed
}

// give starts to send data to a rank, or a copy of them: an error if memory for the copy is
// missing.
func (t *transfer) give(dst int, on Channel, data []byte, copied bool) error {
	if *t.failed != nil || len(data) == 0 {
		return *t.failed
	}
	a := t.process.arena
	if member := t.member[dst]; member >= 0 {
		return t.mail.post(a, on, member, data)
	}
	place := 0
	if copied {
		var ok bool
		if place, _, ok = a.take(len(data)); !ok {
			return errNoRoom(len(data), a)
		}
		mem := unsafe.Slice((*byte)(a.at(place)), len(data))
		copy(mem, data)
		data = mem
	}
	u := t.enter(wayKey{dst, on, true}, data)
	u.copied = place
	if on >= Letters {
		t.mesh.mails++
	}
	t.pump(u.way)
	return *t.failed
}

// take starts to receive data from a rank.
func (t *transfer) take(src int, on Channel, data []byte) *run {
	u := t.enter(wayKey{src, on, false}, data)
	t.taken[on] = append(t.taken[on], u)
	if t.member[src] < 0 {
		t.pump(u.way)
	}
	return u
}

// enter appends a run to its queue.
func (t *transfer) enter(key wayKey, data []byte) *run {
	y := t.ways[key]
	if y == nil {
		y = &way{wayKey: key}
		for i := range y.bounce {
			y.bounce[i].arena = t.process.arena
		}
		t.ways[key] = y
		if t.member[key.rank] >= 0 {
			t.near = append(t.near, y)
		}
	}
	u := &run{}
	if n := len(t.spare); n > 0 {
		u, t.spare = t.spare[n-1], t.spare[:n-1]
	}
	near := t.member[key.rank] >= 0
	pieces := (len(data) + pieceBytes - 1) / pieceBytes
	if near {
		pieces = min(pieces, 1)
	}
	*u = run{transfer: t, way: y, data: data, pieces: u.pieces[:0], missing: pieces, bounce: !near && !t.process.sendable(data)}
	for range pieces {
		u.pieces = append(u.pieces, false)
	}
	if pieces > 0 {
		if !near && !u.bounce {
			u.pin.Pin(unsafe.SliceData(data))
		}
		t.left[key.on]++
		y.runs = append(y.runs, u)
	}
	return u
}

// pump posts pieces of a queue up to the limit. Messages may all be in flight at once, because
// their receivers may come late.
func (t *transfer) pump(y *way) {
	for *t.failed == nil && y.next < len(y.runs) && (y.flying < piecesFlying || y.on >= Letters) {
		run := y.runs[y.next]
		if run.posted == len(run.data) {
			y.next++
			continue
		}
		n := min(pieceBytes, len(run.data)-run.posted)
		f := flight{run, run.posted / pieceBytes, -1}
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
			b.reserve(pieceBytes)
			if at = b.at(); y.give {
				copy(b.slice(n), run.data[run.posted:])
			}
		}
		run.posted += n
		t.post(f, at, n)
	}
}

// post hands a piece to the library.
func (t *transfer) post(f flight, at unsafe.Pointer, n int) {
	if len(t.free) == 0 {
		t.free, t.flights = append(t.free, len(t.flights)), append(t.flights, flight{})
	}
	number := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	t.flights[number] = f
	y := f.run.way
	y.flying++
	give := C.int(0)
	if y.give {
		give = 1
	}
	t.mesh.talked = true
	t.fail(mpiError("send from memory to memory", C.mb_runs_post(t.c, C.int(number), give, C.int(y.rank), C.int(y.on), C.size_t(len(f.run.data)), C.uintptr_t(uintptr(at)), C.size_t(n))))
}

// poll looks for arrivals, and posts further pieces as others complete. It reports whether it found
// any.
func (t *transfer) poll(polls int) (any bool) {
	for _, y := range t.near {
		any = t.collect(y) || any
	}
	if len(t.free) == len(t.flights) || *t.failed != nil {
		return any
	}
	var n C.int
	var numbers *C.int
	if t.fail(mpiError("send from memory to memory", C.mb_runs_test(t.c, C.int(polls), &n, &numbers))) != nil {
		return any
	}
	t.landed = t.landed[:0]
	for _, number := range unsafe.Slice(numbers, int(n)) { // which the next post may free
		t.landed = append(t.landed, int(number))
	}
	for _, number := range t.landed {
		f := t.flights[number]
		t.flights[number] = flight{}
		t.free = append(t.free, number)
		y := f.run.way
		t.land(f)
		t.pump(y)
	}
	return any || n > 0
}

// collect takes the messages that have come from a member.
func (t *transfer) collect(y *way) (any bool) {
	for len(y.runs) > 0 && *t.failed == nil {
		u, member := y.runs[0], t.member[y.rank]
		gone := t.board.desks[member].hasFailed()
		l := t.mail.waiting(t.process.reach[y.rank], y.on, member)
		switch {
		case l == nil && gone:
			t.fail(errMember)
			return any
		case l == nil:
			return any
		case l.length != uint64(len(u.data)):
			t.fail(fmt.Errorf("mpi: %d bytes were to come from rank %d, which has sent %d", len(u.data), y.rank, l.length))
			return any
		}
		t.mail.copyOf(l, t.process.reach[y.rank], y.on, member, u.data)
		u.missing, u.front, any = 0, len(u.data), true
		t.complete(u)
	}
	return any
}

// land ends the flight of a piece.
func (t *transfer) land(f flight) {
	run, y := f.run, f.run.way
	y.flying--
	if f.bounce >= 0 {
		y.taken[f.bounce] = false
		if !y.give {
			at := f.piece * pieceBytes
			copy(run.data[at:], y.bounce[f.bounce].slice(min(pieceBytes, len(run.data)-at)))
		}
	}
	run.pieces[f.piece] = true
	for k := run.front / pieceBytes; k < len(run.pieces) && run.pieces[k]; k++ {
		run.front = min((k+1)*pieceBytes, len(run.data))
	}
	run.missing--
	t.complete(run)
}

// complete ends a run whose pieces are all complete.
func (t *transfer) complete(u *run) {
	if u.missing > 0 {
		return
	}
	y := u.way
	u.pin.Unpin()
	if u.copied > 0 {
		t.process.arena.give(u.copied)
	}
	t.left[y.on]--
	if y.give && y.on >= Letters {
		t.mesh.mails--
	}
	done := 0
	for done < len(y.runs) && y.runs[done].missing == 0 {
		if y.give {
			t.keep(y.runs[done])
		}
		done++
	}
	if done > 0 {
		y.runs = append(y.runs[:0], y.runs[done:]...)
		y.next = max(0, y.next-done)
	}
}

// keep keeps a run for new ones.
func (t *transfer) keep(u *run) {
	*u = run{pieces: u.pieces[:0]}
	t.spare = append(t.spare, u)
}

// Landed implements Run.
func (u *run) Landed(n int) error {
	t := u.transfer
	t.wait(func() bool { return u.front >= n })
	return *t.failed
}

// Drop implements Run.
func (u *run) Drop() error {
	t, y := u.transfer, u.way
	t.taken[y.on] = slices.DeleteFunc(t.taken[y.on], func(other *run) bool { return other == u })
	return *t.failed
}

// settle returns when all runs on a channel are complete.
func (t *transfer) settle(on Channel) error {
	if t.left[on] > 0 {
		t.wait(func() bool { return t.left[on] == 0 })
	}
	if *t.failed == nil {
		for _, u := range t.taken[on] {
			t.keep(u)
		}
		clear(t.taken[on])
		t.taken[on] = t.taken[on][:0]
	}
	return *t.failed
}

// wait polls until something is done.
func (t *transfer) wait(done func() bool) {
	t.waiter.Until(func() bool { return *t.failed != nil || done() }, func(polls int) bool {
		// One call of the library does not see data that has arrived over TCP: a rank that naps
		// between polls, under a quota, would take 1 ms for a round trip of 0.17.
		came := t.poll(max(polls, idle.PollsAtOnce))
		if !came && t.mesh != nil && len(t.free) == len(t.flights) {
			t.fail(t.mesh.progress())
		}
		return came
	})
}

// next takes a message of Post that has arrived into posted, from the next rank in turn, or from
// another node: n bytes. src is -1 if none has arrived.
func (t *transfer) next() (src, n int, err error) {
	if t.posted == nil {
		t.posted = make([]byte, MostPost)
	}
	t.mail.reclaim(t.process.arena)
	members := t.members
	for range len(members) + 1 {
		i := t.turn
		if t.turn++; t.turn > len(members) {
			t.turn = 0
		}
		if i < len(members) {
			base := t.process.reach[members[i]]
			if l := t.mail.waiting(base, Posts, i); l != nil {
				t.mail.copyOf(l, base, Posts, i, t.posted[:l.length])
				return members[i], int(l.length), nil
			}
		} else if t.mesh != nil {
			if src, n, err := t.nextFar(); err != nil || src >= 0 {
				return src, n, err
			}
		}
	}
	return -1, 0, nil
}

// nextWithin is next that waits up to patience. If that is negative, it takes no message.
func (t *transfer) nextWithin(patience time.Duration) (src int, data []byte, err error) {
	begun := time.Time{}
	for *t.failed == nil {
		if patience < 0 {
			t.poll(1)
			break
		}
		src, n, err := t.next()
		switch {
		case err != nil:
			return -1, nil, t.fail(err)
		case src >= 0:
			return src, t.posted[:n], nil
		case patience == 0:
			return -1, nil, nil
		case begun.IsZero():
			begun = time.Now()
			t.waiter.Begin()
		case time.Since(begun) >= patience:
			return -1, nil, nil
		}
		t.waiter.Pause()
	}
	return -1, nil, *t.failed
}

func (t *transfer) nextFar() (src, n int, err error) {
	var from C.int
	var length C.size_t
	t.poll(1)
	if code := C.mb_waiting(t.c, C.int(Posts), &from, &length); code != 0 || from < 0 {
		return -1, 0, mpiError("receive", code)
	}
	src, n = int(from), int(length)
	if n > len(t.posted) {
		return -1, 0, fmt.Errorf("mpi: rank %d has posted %d bytes, more than %d", src, n, len(t.posted))
	}
	u := t.take(src, Posts, t.posted[:n])
	return src, n, cmp.Or(u.Landed(n), u.Drop())
}

// drain waits until messages are with their receivers, and gives up after a second: a program
// that is wrong may never receive them.
func (t *transfer) drain() {
	for start := time.Now(); t.mesh != nil && t.mesh.mails > 0 && *t.failed == nil && time.Since(start) < time.Second; {
		t.poll(1)
		idle.Yield()
	}
}
