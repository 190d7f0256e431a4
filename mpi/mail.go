//go:build mpi && cgo

package mpi

import (
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"
)

// The mail of a pair of ranks has channels that do not mix: of the program's Sends, of the
// collective calls, and of Posts.
const (
	userMail = iota
	collectiveMail
	postMail
	mailChannels
)

// message is a run of bytes for a member of the board, in the sender's arena. The
// messages of a pair and channel are a list that begins with the one in the sender's
// slot for the receiver, which carries no bytes.
//
// Who may write when: the sender fills a message and its bytes, then stores its place
// in the next field of the one before, which makes it visible. After that the sender
// writes only next, once, and the receiver only state. The bytes are free at
// messageRead. The message itself is free at messageLeft, once the receiver has gone
// on to the next one: until then it looks there for next.
type message struct {
	next   uint64 // place of the next message, 0 if there is none yet
	data   uint64 // place of the bytes
	length uint64
	state  uint32 // how far the reader is with it
	_      uint32
}

const messageBytes = int(unsafe.Sizeof(message{}))

// States of a message, in order.
const (
	messageRead = 1
	messageLeft = 2
)

// mail is a rank's side of the messages between members, sent and received. The
// sender finds out that messages are free when it sends the next one, and in each
// exchange while some are unread.
type mail struct {
	last   [mailChannels][]*message // the last one sent, by member
	read   [mailChannels][]*message // the last one received, by member
	sent   []sentMessage            // not yet free
	unread int                      // number of sent whose bytes are not free

	turn   int    // where the next Poll looks first: a member, or after them other nodes
	posted []byte // what the last Poll returned
}

type sentMessage struct {
	*message
	place int
	read  bool
}

func newMail(b *board) mail {
	var m mail
	for c := range mailChannels {
		m.last[c] = make([]*message, b.members)
		m.read[c] = make([]*message, b.members)
		for member, s := range b.slots {
			m.last[c][member] = &s.mail[c]
		}
		m.read[c][b.me] = &b.slots[b.me].mail[c]
		for i := range b.peers {
			m.read[c][b.peers[i].member] = &b.peers[i].slot.mail[c]
		}
	}
	return m
}

// post copies data and sends it to a member.
func (m *mail) post(a *arena, channel, member int, data []byte) error {
	m.reclaim(a)
	place, _, ok := a.take(messageBytes)
	at, _, enough := a.take(len(data))
	if !ok || !enough {
		return fmt.Errorf("mpi: out of memory: a message of %d bytes does not fit into the %d bytes of this rank", len(data), len(a.mem))
	}
	copy(unsafe.Slice((*byte)(a.at(at)), len(data)), data)
	l := (*message)(a.at(place))
	*l = message{data: uint64(at), length: uint64(len(data))}
	atomic.StoreUint64(&m.last[channel][member].next, uint64(place))
	m.last[channel][member] = l
	m.sent = append(m.sent, sentMessage{l, place, false})
	m.unread++
	return nil
}

// reclaim frees messages, and bytes, that receivers need no more.
func (m *mail) reclaim(a *arena) {
	kept := m.sent[:0]
	for _, s := range m.sent {
		state := atomic.LoadUint32(&s.state)
		if state >= messageRead && !s.read {
			s.read = true
			a.give(int(s.data))
			m.unread--
		}
		if state == messageLeft {
			a.give(s.place)
		} else {
			kept = append(kept, s)
		}
	}
	m.sent = kept
}

// collect takes the next message from a member whose arena starts at base, if
// it is there.
func (m *mail) collect(base unsafe.Pointer, channel, member int, data []byte) (ok bool, err error) {
	l := m.waiting(base, channel, member)
	if l == nil {
		return false, nil
	}
	if l.length != uint64(len(data)) {
		return true, fmt.Errorf("%d bytes were sent", l.length)
	}
	m.copyOf(l, base, channel, member, data)
	return true, nil
}

// waiting is the next message from a member, nil if there is none yet.
func (m *mail) waiting(base unsafe.Pointer, channel, member int) *message {
	next := atomic.LoadUint64(&m.read[channel][member].next)
	if next == 0 {
		return nil
	}
	return (*message)(unsafe.Add(base, next))
}

// copyOf takes the message that waits: data has its length.
func (m *mail) copyOf(l *message, base unsafe.Pointer, channel, member int, data []byte) {
	copy(data, unsafe.Slice((*byte)(unsafe.Add(base, l.data)), len(data)))
	last := m.read[channel][member]
	m.read[channel][member] = l
	atomic.StoreUint32(&l.state, messageRead)
	atomic.StoreUint32(&last.state, messageLeft)
}

// Send copies data and returns at once.
func (w *world) Send(dst int, data []byte) error { return w.send(userMail, dst, data) }

func (w *world) Recv(src int, data []byte) error { return w.recv(userMail, src, data) }

func (w *world) send(channel, dst int, data []byte) error {
	if w.err != nil {
		return w.err
	}
	var err error
	if member := w.member[dst]; member >= 0 {
		err = w.mail.post(w.process.arena, channel, member, data)
	} else {
		err = w.relay.mesh.send(dst, channel, data)
	}
	if err != nil {
		return w.fail(err)
	}
	return nil
}

func (w *world) recv(channel, src int, data []byte) error {
	if w.err != nil {
		return w.err
	}
	member := w.member[src]
	if member < 0 {
		if err := w.relay.mesh.recv(src, channel, data, &w.wait); err != nil {
			return w.fail(err)
		}
		return nil
	}
	for waiting := false; ; waiting = true {
		failed := w.board.desks[member].hasFailed()
		if ok, err := w.mail.collect(w.process.reach[src], channel, member, data); err != nil {
			return w.fail(fmt.Errorf("mpi: rank %d receives %d bytes from rank %d: %w", w.rank, len(data), src, err))
		} else if ok {
			return nil
		} else if failed {
			return w.fail(errMember)
		}
		if !waiting {
			w.wait.begin()
		}
		if nap := w.wait.step(); nap > 0 {
			nanosleep(nap)
		}
		if w.relay != nil {
			w.relay.mesh.progress()
		}
	}
}

// Post goes the way of Send, on a channel of its own.
func (w *world) Post(dst int, data []byte) error {
	if err := checkPost(w, dst, data); err != nil {
		return err
	}
	return w.send(postMail, dst, data)
}

func (w *world) Poll(patience time.Duration) (src int, data []byte, err error) {
	if w.err != nil {
		return -1, nil, w.err
	}
	begun := time.Time{}
	for {
		src, n, err := w.posted()
		if err != nil {
			return -1, nil, w.fail(err)
		}
		if src >= 0 {
			return src, w.mail.posted[:n], nil
		}
		switch {
		case patience <= 0:
			return -1, nil, nil
		case begun.IsZero():
			begun = time.Now()
			w.wait.begin()
		case time.Since(begun) >= patience:
			return -1, nil, nil
		}
		if nap := w.wait.step(); nap > 0 {
			nanosleep(nap)
		}
	}
}

// posted takes a message of n bytes that is there, from the next rank in turn, or from
// another node.
func (w *world) posted() (src, n int, err error) {
	m := &w.mail
	if m.posted == nil {
		m.posted = make([]byte, MostPost)
	}
	m.reclaim(w.process.arena)
	for range len(w.members) + 1 {
		i := m.turn
		if m.turn++; m.turn > len(w.members) {
			m.turn = 0
		}
		if i < len(w.members) {
			src := w.members[i]
			if l := m.waiting(w.process.reach[src], postMail, i); l != nil {
				m.copyOf(l, w.process.reach[src], postMail, i, m.posted[:l.length])
				return src, int(l.length), nil
			}
		} else if far := w.absence.relay; far != nil {
			if src, n, err := far.mesh.posted(m.posted, &w.wait); err != nil || src >= 0 {
				return src, n, err
			}
		}
	}
	return -1, 0, nil
}
