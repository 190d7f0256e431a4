//go:build mpi && cgo

package mpi

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	gompi "github.com/sbromberger/gompi"
)

// Broadcast sends along a binomial tree, in which the ranks count from root.
func (w *world) Broadcast(root int, data []byte) error {
	if w.absence.present != nil {
		return errSomeAway
	}
	n := w.Size()
	at := (w.rank - root + n) % n
	rank := func(at int) int { return (at + root) % n }
	if at > 0 {
		if err := w.recv(collectiveMail, rank(at&(at-1)), data); err != nil {
			return err
		}
	}
	for bit := lowestBit(at, n); bit > 0; bit >>= 1 {
		if at+bit < n {
			if err := w.send(collectiveMail, rank(at+bit), data); err != nil {
				return err
			}
		}
	}
	return nil
}

// lowestBit returns half the lowest bit that is set in at: the distance of the
// farthest child of place at in a binomial tree of n places.
func lowestBit(at, n int) int {
	if at == 0 {
		return 1 << bits.Len(uint(n-1)) >> 1
	}
	return at & -at >> 1
}

// Combine goes up a binomial tree and down again, except over several nodes
// where the library's own reduction knows the network better.
func (w *world) Combine(op Op, v []int64) error {
	if w.absence.present != nil {
		return errSomeAway
	}
	if len(v) == 0 || w.Size() == 1 {
		return w.err
	}
	other := make([]int64, len(v))
	if w.top && w.relay != nil {
		return w.reduce(op, other, v)
	}
	n := w.Size()
	for bit := 1; bit < n; bit <<= 1 {
		if w.rank&bit != 0 {
			if err := w.send(collectiveMail, w.rank-bit, bytesOf(v)); err != nil {
				return err
			}
			break
		}
		if w.rank+bit >= n {
			continue
		}
		if err := w.recv(collectiveMail, w.rank+bit, bytesOf(other)); err != nil {
			return err
		}
		for i := range v {
			v[i] = op.Apply(v[i], other[i])
		}
	}
	return w.Broadcast(0, bytesOf(v))
}

var gompiOps = map[Op]gompi.Op{Sum: gompi.OpSum, Min: gompi.OpMin, Max: gompi.OpMax}

func (w *world) reduce(op Op, result, v []int64) error {
	if w.err != nil {
		return w.err
	}
	if err := w.process.comm.AllreduceInt64s(result, v, gompiOps[op], 0); err != nil {
		return w.fail(err)
	}
	copy(v, result)
	return nil
}

func bytesOf(v []int64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v))
}

// Split first makes a board in each arena, so that places and colors go by the same
// Combine.
func (w *world) Split(color, key int) (Comm, error) {
	if w.absence.present != nil {
		return nil, errSomeAway
	}
	p := w.process
	place, err := p.newBoardPlace(len(w.members))
	if err != nil {
		return nil, w.fail(err)
	}
	const row = 3
	table := make([]int64, row*w.Size())
	copy(table[row*w.rank:], []int64{int64(color), int64(key), int64(place)})
	if err := w.Combine(Sum, table); err != nil {
		return nil, err
	}
	colorOf := func(r int) int { return int(table[row*r]) }
	keyOf := func(r int) int { return int(table[row*r+1]) }
	groups := make(map[int][]int)
	needsMesh := false
	for r := range w.Size() {
		groups[colorOf(r)] = append(groups[colorOf(r)], r)
	}
	for c, ranks := range groups {
		needsMesh = needsMesh || c >= 0 && p.needsMesh(w.inRun(ranks))
	}
	group := groups[color]
	slices.SortStableFunc(group, func(a, b int) int { return cmp.Compare(keyOf(a), keyOf(b)) })
	places := make([]int, len(group))
	for i, r := range group {
		places[i] = int(table[row*r+2])
	}
	return w.child(color, group, places, needsMesh)
}

// child makes the Comm of a group of ranks, nil for a negative color. All ranks of w
// call it; needsMesh says that one of the groups needs a mesh, which all make
// together.
func (w *world) child(color int, group, places []int, needsMesh bool) (Comm, error) {
	p := w.process
	var c *world
	nodes, meshColor := nodeTable{}, -1
	if color >= 0 {
		c = joinWorld(p, w.inRun(group), places)
		if p.needsMesh(c.world) {
			nodes, meshColor = p.nodes(c.world, c.rank), slices.Min(group)
		}
	} else {
		p.arena.give(places[slices.Index(group, w.rank)])
	}
	if needsMesh {
		key := max(0, slices.Index(group, w.rank))
		var parent *mesh
		if w.relay != nil {
			parent = w.relay.mesh
		}
		m, err := newMesh(parent, meshColor, key, nodes)
		if err != nil {
			return nil, w.fail(err)
		}
		if m != nil {
			c.join(m, nodes)
		}
	}
	if c == nil {
		return nil, nil
	}
	return c, nil
}

func (w *world) inRun(ranks []int) []int {
	all := make([]int, len(ranks))
	for i, r := range ranks {
		all[i] = w.world[r]
	}
	return all
}

func (p *process) newBoardPlace(members int) (int, error) {
	mem := p.arena.zeroed(boardBytes(members))
	if mem == nil {
		return 0, errors.New("mpi: out of memory")
	}
	place, _ := p.arena.place(unsafe.Pointer(unsafe.SliceData(mem)))
	return place, nil
}

// Close waits for all ranks, so that no rank reads what it gives back. The board
// stays: a slower rank may still look for this rank's last arrival there.
func (w *world) Close() error {
	if w.absence.present != nil {
		return errSomeAway
	}
	if w.err != nil {
		return fmt.Errorf("mpi: closed after a failure: %w", w.err)
	}
	l := w.Lane(0)
	for r := range l.Out {
		l.Out[r].Bytes = l.Out[r].Bytes[:0]
	}
	if _, err := w.Exchange(l, 0); err != nil {
		return err
	}
	w.err = errors.New("mpi: the Comm is closed")
	if w.relay != nil {
		w.relay.mesh.drain()
	}
	if w.top {
		return w.process.finish()
	}
	for k := range w.lanes {
		w.lanes[k].close()
	}
	w.mail.close(w.process.arena)
	if w.relay != nil {
		for i := range w.absence.retired {
			w.absence.retired[i].slots.close()
		}
		w.straight.close()
		w.relay.close()
	}
	return nil
}
