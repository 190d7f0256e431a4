package mpi

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// This file has what both engines share of messages from anybody, and those of in-process
// ranks. The MPI engine's go the way of its other mail: see mail.go.

// MostPost is the length of the longest message of Post.
const MostPost = 64 << 10

// checkPost reports what is wrong with a message of c's rank for another.
func checkPost(c Comm, dst int, data []byte) error {
	if dst < 0 || dst >= c.Size() {
		return fmt.Errorf("mpi: Post to rank %d; there are %d", dst, c.Size())
	}
	if !c.Present(dst) {
		return fmt.Errorf("mpi: Post to rank %d, which has left the exchanges", dst)
	}
	if n := len(data); n == 0 || n > MostPost {
		return fmt.Errorf("mpi: Post of %d bytes, of which there must be 1 to %d", n, MostPost)
	}
	return nil
}

// letterbox holds what has been posted to an in-process rank.
type letterbox struct {
	mu      sync.Mutex
	letters []letter
	arrived chan struct{} // has something when letters may have
}

type letter struct {
	src  int
	data []byte
}

// Post copies data and returns at once.
func (r *local) Post(dst int, data []byte) error {
	if err := checkPost(r, dst, data); err != nil {
		return err
	}
	if r.world.barrier.aborted.Load() {
		return ErrAborted
	}
	box := &r.world.ranks[dst].box
	box.mu.Lock()
	box.letters = append(box.letters, letter{r.rank, slices.Clone(data)})
	box.mu.Unlock()
	select {
	case box.arrived <- struct{}{}:
	default:
	}
	return nil
}

// next takes the oldest letter.
func (b *letterbox) next() (l letter, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.letters) == 0 {
		return letter{}, false
	}
	l = b.letters[0]
	b.letters[0] = letter{}
	b.letters = b.letters[1:]
	return l, true
}

func (r *local) Poll(patience time.Duration) (src int, data []byte, err error) {
	var late <-chan time.Time
	for {
		if r.world.barrier.aborted.Load() {
			return -1, nil, ErrAborted
		}
		if l, ok := r.box.next(); ok {
			return l.src, l.data, nil
		}
		if patience <= 0 {
			return -1, nil, nil
		}
		if late == nil {
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
