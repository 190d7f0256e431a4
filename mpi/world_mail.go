//go:build mpi && cgo

package mpi

import (
	"fmt"
	"time"
)

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
