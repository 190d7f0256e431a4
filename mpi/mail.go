//go:build mpi && cgo

package mpi

import (
	"sync/atomic"
	"unsafe"
)

// States of a message, in order.
const (
	messageRead = 1
	messageLeft = 2
)

// mail is a rank's side of the messages between members, sent and received. The sender frees read
// messages when it sends the next one, and in each exchange while some are unread.
type mail struct {
	last   [channels][]*message // the last one sent, by member
	read   [channels][]*message // the last one received, by member
	sent   []sentMessage        // not yet free
	unread int                  // number of sent whose bytes are not free
}

type sentMessage struct {
	*message
	place int
	read  bool
}

func newMail(b *board) mail {
	var m mail
	for c := range channels {
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
func (m *mail) post(a *arena, on Channel, member int, data []byte) error {
	m.reclaim(a)
	place, _, ok := a.take(messageBytes)
	at, _, enough := a.take(len(data))
	if !ok || !enough {
		return errNoRoom(len(data), a)
	}
	copy(unsafe.Slice((*byte)(a.at(at)), len(data)), data)
	l := (*message)(a.at(place))
	*l = message{data: uint64(at), length: uint64(len(data))}
	atomic.StoreUint64(&m.last[on][member].next, uint64(place))
	m.last[on][member] = l
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

// waiting returns the next message from a member, or nil.
func (m *mail) waiting(base unsafe.Pointer, on Channel, member int) *message {
	next := atomic.LoadUint64(&m.read[on][member].next)
	if next == 0 {
		return nil
	}
	return (*message)(unsafe.Add(base, next))
}

// copyOf takes the message that waits: data has its length.
func (m *mail) copyOf(l *message, base unsafe.Pointer, on Channel, member int, data []byte) {
	copy(data, unsafe.Slice((*byte)(unsafe.Add(base, l.data)), len(data)))
	last := m.read[on][member]
	m.read[on][member] = l
	atomic.StoreUint32(&l.state, messageRead)
	atomic.StoreUint32(&last.state, messageLeft)
}
