//go:build mpi && cgo

package mpi

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

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
