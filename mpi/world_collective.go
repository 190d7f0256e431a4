//go:build mpi && cgo

package mpi

import (
	"errors"
	"fmt"
	"math/bits"
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
	if w.relay != nil {
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

// Close waits for all ranks.
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
		w.relay.mesh.close()
	}
	return w.process.finish()
}
