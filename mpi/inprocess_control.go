package mpi

import (
	"encoding/binary"
	"fmt"
	"slices"
)

func (r *local) Broadcast(root int, data []byte) error {
	l := r.Lane(control)
	if r.rank == root {
		for d := range l.Out {
			if d != root {
				put(&l.Out[d], data)
			}
		}
	}
	if _, err := r.Exchange(l, 0); err != nil {
		return err
	}
	if r.rank != root {
		copy(data, l.In[root])
	}
	return nil
}

func (r *local) Combine(op Op, v []int64) error {
	all, err := r.gather(v)
	if err != nil {
		return err
	}
	for i := range v {
		v[i] = int64(binary.NativeEndian.Uint64(all[0][8*i:]))
		for _, other := range all[1:] {
			v[i] = op.Apply(v[i], int64(binary.NativeEndian.Uint64(other[8*i:])))
		}
	}
	return nil
}

// gather returns all ranks' v, valid until the next control exchange.
func (r *local) gather(v []int64) ([][]byte, error) {
	l := r.Lane(control)
	for d := range l.Out {
		b := &l.Out[d]
		b.Grow(8 * len(v))
		for _, x := range v {
			b.Bytes = binary.NativeEndian.AppendUint64(b.Bytes, uint64(x))
		}
	}
	_, err := r.Exchange(l, 0)
	return l.In, err
}

func put(b *Buffer, data []byte) {
	b.Grow(len(data))
	b.Bytes = append(b.Bytes, data...)
}

// splitKey names the world that one color's ranks of one Split call share.
type splitKey struct{ call, color int }

func (r *local) Split(color, key int) (Comm, error) {
	r.split++
	all, err := r.gather([]int64{int64(color), int64(key)})
	if err != nil {
		return nil, err
	}
	var members []int
	keys := make([]int64, len(all))
	for rank, b := range all {
		keys[rank] = int64(binary.NativeEndian.Uint64(b[8:]))
		if int64(binary.NativeEndian.Uint64(b)) == int64(color) {
			members = append(members, rank)
		}
	}
	if color < 0 {
		return nil, nil
	}
	slices.SortStableFunc(members, func(a, b int) int { return int(keys[a] - keys[b]) })
	return r.world.child(splitKey{r.split, color}, len(members)).ranks[slices.Index(members, r.rank)], nil
}

// child returns the world that belongs to key, made by whoever asks first.
func (w *localWorld) child(key splitKey, size int) *localWorld {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.splits[key]
	if c == nil {
		c = newWorld(size, w.barrier.out)
		w.splits[key] = c
	}
	return c
}

// mailbox holds the messages of one pair of ranks, in order. All mailboxes of
// a world share the lock and the signal of its barrier, so that an abort wakes
// those who wait for mail too.
type mailbox struct{ queue [][]byte }

// Send copies data and returns at once.
func (r *local) Send(dst int, data []byte) error {
	b := &r.world.barrier
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.out.aborted.Load() {
		return ErrAborted
	}
	m := &r.world.mail[r.rank*r.Size()+dst]
	m.queue = append(m.queue, slices.Clone(data))
	b.wake.Broadcast()
	return nil
}

func (r *local) Recv(src int, data []byte) error {
	b := &r.world.barrier
	b.mu.Lock()
	defer b.mu.Unlock()
	m := &r.world.mail[src*r.Size()+r.rank]
	for len(m.queue) == 0 {
		if b.out.aborted.Load() {
			return ErrAborted
		}
		b.wake.Wait()
	}
	if got := len(m.queue[0]); got != len(data) {
		return fmt.Errorf("mpi: rank %d receives %d bytes from rank %d, which sent %d", r.rank, len(data), src, got)
	}
	copy(data, m.queue[0])
	m.queue = m.queue[1:]
	return nil
}
