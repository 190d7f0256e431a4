package mpi

import (
	"runtime"
	"slices"
	"time"
)

// recalls records the departures and recalls of a localWorld's absent ranks, which sleep on the
// barrier. All of it is used under the barrier's mu.
type recalls struct {
	count  int         // number of recalls of the absent
	left   []int       // number of departures by rank
	epoch  uint64      // of the last meeting before the absent were last called back
	counts [Lanes]uint // of exchanges, by lane
	note   []byte
}

// attendance is a rank's view of the ranks that take part.
type attendance struct {
	present []bool // nil: all
	parting []int  // those that must leave their mark before the next meeting
	leaves  []int  // number of departures by rank
	recalls int    // of recalls.count, that this rank has seen
}

func (r *local) Attend(present []bool, note []byte) (from []byte, err error) {
	if present == nil {
		return nil, r.recall(note)
	}
	if err := checkAttend(present, r.Size()); err != nil {
		return nil, err
	}
	if r.present != nil {
		return nil, errSomeAway
	}
	gone := ranksWhere(present, false)
	if len(gone) == 0 {
		return nil, nil
	}
	r.present = slices.Clone(present)
	if r.leaves == nil {
		r.leaves = make([]int, r.Size())
	}
	for _, rank := range gone {
		r.leaves[rank]++
	}
	if !present[r.rank] {
		return r.sleep()
	}
	r.parting = gone
	r.meetAmong(ranksWhere(present, true))
	return nil, nil
}

// meetAmong sets the ranks that this rank meets. The next exchange checks the buffers of all ranks
// once more.
func (r *local) meetAmong(ranks []int) {
	r.side.attend(ranks)
	for k := range r.lanes {
		r.lanes[k].stale = 2
	}
}

// part waits until those that leave have done so.
func (r *local) part() error {
	b, left := &r.world.barrier, r.world.recalls.left
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, rank := range r.parting {
		for left[rank] < r.leaves[rank] {
			if b.aborted.Load() {
				return ErrAborted
			}
			b.recall.Wait()
		}
	}
	r.parting = nil
	return nil
}

// recall calls the absent back.
func (r *local) recall(note []byte) error {
	if r.present == nil {
		return nil
	}
	if err := checkNote(note); err != nil {
		return err
	}
	if err := r.part(); err != nil {
		return err
	}
	b, c := &r.world.barrier, &r.world.recalls
	r.recalls++
	b.mu.Lock()
	if c.count < r.recalls {
		c.count, c.epoch, c.note = r.recalls, r.side.epoch, slices.Clone(note)
		for k := range r.lanes {
			c.counts[k] = r.lanes[k].count
		}
		b.recall.Broadcast()
	}
	b.mu.Unlock()
	r.returned()
	return nil
}

// sleep leaves a mark, and returns the note when this rank is called back.
func (r *local) sleep() ([]byte, error) {
	b, c := &r.world.barrier, &r.world.recalls
	b.mu.Lock()
	c.left[r.rank] = r.leaves[r.rank]
	b.recall.Broadcast()
	b.mu.Unlock()
	r.lookOut()
	b.mu.Lock()
	defer b.mu.Unlock()
	for c.count == r.recalls {
		if b.aborted.Load() {
			return nil, ErrAborted
		}
		b.recall.Wait()
	}
	r.recalls = c.count
	r.side.epoch = c.epoch
	for k := range r.lanes {
		l := &r.lanes[k]
		l.count = c.counts[k]
		l.Out = l.sets[l.count&1]
		l.empty()
	}
	r.returned()
	return slices.Clone(c.note), nil
}

// lookOut yields for a while, or until this rank is called back, where each rank has a core: a
// rank whose processes left by the program's own wish is often called back at once.
func (r *local) lookOut() {
	if r.Size() > runtime.GOMAXPROCS(0) {
		return
	}
	b := &r.world.barrier
	for start, here := time.Now(), false; !here && time.Since(start) < longYield; runtime.Gosched() {
		b.mu.Lock()
		here = r.world.recalls.count != r.recalls || b.aborted.Load()
		b.mu.Unlock()
	}
}

func (r *local) returned() {
	r.present = nil
	r.meetAmong(allRanks(r.Size()))
}
