package mpi

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// letterbox holds copies of data given to an in-process rank, and its runs that have not arrived
// yet.
type letterbox struct {
	mu      sync.Mutex
	letters []letter      // in the order of the calls; under mu
	arrived chan struct{} // has something when there may be new ones
	taken   []*localRun   // in order
	failed  error
}

type letter struct {
	src  int
	on   Channel
	data []byte
}

// localRun is a run that rank takes.
type localRun struct {
	rank, src int
	on        Channel
	data      []byte
	box       *letterbox
	await     func(patience time.Duration, there func() bool) error
}

// Give copies data, whether it has to or not.
func (r *local) Give(dst int, on Channel, data []byte, copied bool) error {
	switch {
	case r.world.barrier.aborted.Load():
		return ErrAborted
	case len(data) == 0:
		return nil
	}
	box := &r.world.ranks[dst].box
	box.mu.Lock()
	box.letters = append(box.letters, letter{r.rank, on, slices.Clone(data)})
	box.mu.Unlock()
	select {
	case box.arrived <- struct{}{}:
	default:
	}
	return nil
}

func (r *local) Take(src int, on Channel, data []byte) Run {
	u := &localRun{r.rank, src, on, data, &r.box, r.await}
	if len(data) > 0 {
		r.box.taken = append(r.box.taken, u)
	}
	return u
}

func (u *localRun) Landed(n int) error {
	err := u.await(forever, func() bool { return u.box.collect(func(other *localRun) bool { return other == u }) })
	if err == nil {
		err = u.box.failed
	}
	return err
}

func (u *localRun) Drop() error {
	u.box.taken = slices.DeleteFunc(u.box.taken, func(other *localRun) bool { return other == u })
	return u.box.failed
}

func (r *local) Settle(on Channel) error {
	err := r.await(forever, func() bool { return r.box.collect(func(u *localRun) bool { return u.on == on }) })
	if err == nil {
		err = r.box.failed
	}
	return err
}

// collect fills the runs that have been taken with letters that are there. It reports whether
// all of some runs are filled, or something has failed.
func (b *letterbox) collect(some func(*localRun) bool) bool {
	b.taken = slices.DeleteFunc(b.taken, func(u *localRun) bool {
		l, is := b.next(func(l *letter) bool { return l.src == u.src && l.on == u.on })
		if is && len(l.data) != len(u.data) {
			b.failed = fmt.Errorf("mpi: rank %d receives %d bytes from rank %d, which sent %d", u.rank, len(u.data), u.src, len(l.data))
		}
		copy(u.data, l.data)
		return is
	})
	return b.failed != nil || !slices.ContainsFunc(b.taken, some)
}

// next takes the oldest of some letters.
func (b *letterbox) next(is func(*letter) bool) (l letter, found bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.letters {
		if l = b.letters[i]; is(&l) {
			copy(b.letters[1:], b.letters[:i])
			b.letters[0] = letter{}
			b.letters = b.letters[1:]
			return l, true
		}
	}
	return letter{}, false
}

func (r *local) Poll(patience time.Duration) (src int, data []byte, err error) {
	l, found := letter{src: -1}, false
	err = r.await(patience, func() bool {
		if patience >= 0 {
			l, found = r.box.next(func(l *letter) bool { return l.on == Posts })
		}
		return found
	})
	if !found {
		return -1, nil, err
	}
	return l.src, l.data, nil
}

const forever = math.MaxInt64

// await returns when something is there, or patience is over, or the run has been ended.
func (r *local) await(patience time.Duration, there func() bool) error {
	var late <-chan time.Time
	for {
		if r.world.barrier.aborted.Load() {
			return ErrAborted
		}
		if there() || patience <= 0 {
			return nil
		}
		if late == nil && patience < forever {
			late = time.After(patience)
		}
		select {
		case <-r.box.arrived:
		case <-r.world.barrier.done:
		case <-late:
			patience = 0
		}
	}
}
