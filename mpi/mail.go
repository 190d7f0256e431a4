//go:build mpi

package mpi

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

// The mail of a pair of ranks has two channels, so that the collective calls
// that send mail do not mix with the program's.
const (
	userMail = iota
	collectiveMail
	mailChannels
)

// letter is a message to a member. The letters of a pair and channel are
// chained from the one in the slot, which carries no message.
type letter struct {
	next   uint64 // place of the next letter, 0 if there is none yet
	data   uint64 // place of the bytes
	length uint64
	state  uint32 // how far the reader is with it
	_      uint32
}

const letterBytes = int(unsafe.Sizeof(letter{}))

// A letter's data is free once it was read, and the letter itself once the
// reader has gone on to the next one.
const (
	letterRead = 1
	letterLeft = 2
)

// mail is a rank's part in the messages between members.
type mail struct {
	last   [mailChannels][]*letter // the last one sent, by member
	read   [mailChannels][]*letter // the last one received, by member
	sent   []sentLetter            // not yet free
	unread int                     // of those
}

type sentLetter struct {
	*letter
	place int
	read  bool
}

func newMail(b *board) mail {
	var m mail
	for c := range mailChannels {
		m.last[c] = make([]*letter, b.members)
		m.read[c] = make([]*letter, b.members)
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
	place, _, ok := a.take(letterBytes)
	at, _, enough := a.take(len(data))
	if !ok || !enough {
		return fmt.Errorf("mpi: out of memory: a message of %d bytes does not fit into the %d bytes of this rank", len(data), len(a.mem))
	}
	copy(unsafe.Slice((*byte)(a.at(at)), len(data)), data)
	l := (*letter)(a.at(place))
	*l = letter{data: uint64(at), length: uint64(len(data))}
	atomic.StoreUint64(&m.last[channel][member].next, uint64(place))
	m.last[channel][member] = l
	m.sent = append(m.sent, sentLetter{l, place, false})
	m.unread++
	return nil
}

// reclaim frees what the receivers have done with.
func (m *mail) reclaim(a *arena) {
	kept := m.sent[:0]
	for _, s := range m.sent {
		state := atomic.LoadUint32(&s.state)
		if state >= letterRead && !s.read {
			s.read = true
			a.give(int(s.data))
			m.unread--
		}
		if state == letterLeft {
			a.give(s.place)
		} else {
			kept = append(kept, s)
		}
	}
	m.sent = kept
}

// collect takes the next letter from a member whose arena starts at base, if
// it is there.
func (m *mail) collect(base unsafe.Pointer, channel, member int, data []byte) (ok bool, err error) {
	last := m.read[channel][member]
	next := atomic.LoadUint64(&last.next)
	if next == 0 {
		return false, nil
	}
	l := (*letter)(unsafe.Add(base, next))
	if l.length != uint64(len(data)) {
		return true, fmt.Errorf("%d bytes were sent", l.length)
	}
	copy(data, unsafe.Slice((*byte)(unsafe.Add(base, l.data)), len(data)))
	m.read[channel][member] = l
	atomic.StoreUint32(&l.state, letterRead)
	atomic.StoreUint32(&last.state, letterLeft)
	return true, nil
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
		err = w.mesh.send(dst, channel, data)
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
		if err := w.mesh.recv(src, channel, data, &w.wait); err != nil {
			return w.fail(err)
		}
		return nil
	}
	for waiting := false; ; waiting = true {
		if ok, err := w.mail.collect(w.reach[src], channel, member, data); err != nil {
			return w.fail(fmt.Errorf("mpi: rank %d receives %d bytes from rank %d: %w", w.rank, len(data), src, err))
		} else if ok {
			return nil
		}
		if !waiting {
			w.wait.begin()
		}
		if nap := w.wait.step(); nap > 0 {
			doze(nap)
		}
		if w.mesh != nil {
			w.mesh.progress()
		}
	}
}

// close gives back the memory of letters that nobody will read.
func (m *mail) close(a *arena) {
	for _, s := range m.sent {
		if !s.read {
			a.give(int(s.data))
		}
		a.give(s.place)
	}
	m.sent, m.unread = nil, 0
}
