//go:build mpi && cgo

package mpi_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/mpi"
	gompi "github.com/sbromberger/gompi"
)

// The benchmarks time exchanges beside the library's own calls in the same run:
//
//	mpirun -np 2 mpi.test -test.run none -test.bench WorldSmall
//
// The figures are the shortest and the median of many rounds on rank 0.

func BenchmarkWorldSmall(b *testing.B) {
	c, library := benchWorld(b)
	l := c.Lane(0)
	sum := make([]int64, 1)
	timeRounds(c, "library barrier", library.Barrier)
	timeRounds(c, "library sum of one integer", func() { library.AllreduceInt64s(sum, []int64{1}, gompi.OpSum, 0) })
	timeRounds(c, "empty exchange", func() { c.Exchange(l, 0) })
	for _, size := range []int{8, 8 << 10} {
		timeRounds(c, fmt.Sprintf("%d bytes to four neighbours", size), func() { sendHalo(c, l, size); c.Exchange(l, 0) })
	}
	for _, size := range []int{8, 1000, 3900, 16 << 10} {
		timeRounds(c, fmt.Sprintf("%d bytes to every rank", size), func() { sendAll(c, l, size); c.Exchange(l, 0) })
	}
}

func BenchmarkWorldLarge(b *testing.B) {
	c, library := benchWorld(b)
	l := c.Lane(0)
	next, last := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
	for _, mib := range []int{1, 64} {
		size := mib << 20
		data := bytes.Repeat([]byte{1, 2, 3}, size/3+1)[:size]
		report := func(name string, call func()) { timeRounds(c, fmt.Sprintf("%d MiB %s", mib, name), call) }
		send := func(dst int) {
			b := &l.Out[dst]
			b.Grow(size)
			b.Bytes = append(b.Bytes, data...)
		}
		report("copied within the rank", func() { copy(data, data[size/2:]); copy(data[size/2:], data) })
		report("from 0 to 1, copied in and out", func() {
			if c.Rank() == 0 {
				send(1)
			}
			c.Exchange(l, 0)
			copy(data, l.In[0])
		})
		report("to the next rank, copied in and out", func() { send(next); c.Exchange(l, 0); copy(data, l.In[last]) })
		report("to the next rank, copied in", func() { send(next); c.Exchange(l, 0) })
		if p := neighbour(c, size, next); p != nil {
			report("written into the next rank's memory", func() { copy(unsafe.Slice((*byte)(p), size), data); c.Exchange(l, 0) })
		}
		report("by Send and Recv, both ways", func() { mpi.Send(c, next, data); mpi.Recv(c, last, data) })
		report("by the library, there and back / 2", func() { pingPong(library, data) })
	}
}

func benchWorld(b *testing.B) (mpi.Comm, *gompi.Communicator) {
	if worldComm == nil {
		b.Skip("needs a launcher")
	}
	return worldComm, gompi.NewCommunicator(nil)
}

// sendAll puts n bytes into the buffers for all other ranks, without writing
// them.
func sendAll(c mpi.Comm, l *mpi.Lane, n int) {
	for d := range l.Out {
		if d != c.Rank() {
			b := &l.Out[d]
			b.Grow(n)
			b.Bytes = b.Bytes[:n]
		}
	}
}

// sendHalo puts n bytes into the buffers for the ranks next to this one and those next
// in another dimension, as a grid in which four ranks are a row has them.
func sendHalo(c mpi.Comm, l *mpi.Lane, n int) {
	for _, d := range []int{1, -1, 4, -4} {
		if to := (c.Rank() + d + 4*c.Size()) % c.Size(); to != c.Rank() {
			b := &l.Out[to]
			b.Grow(n)
			b.Bytes = b.Bytes[:len(b.Bytes)+n]
		}
	}
}

// neighbour returns where the next rank's memory of size bytes is, nil if out
// of reach. All ranks call it.
func neighbour(c mpi.Comm, size, next int) unsafe.Pointer {
	refs := make([]int64, c.Size())
	refs[c.Rank()] = int64(c.Share(c.Alloc(size, false)))
	mpi.Combine(c, mpi.Sum, refs)
	return c.Reach(next, mpi.Ref(refs[next]))
}

func pingPong(library *gompi.Communicator, data []byte) {
	r := library.Rank()
	if other := r ^ 1; other < library.Size() {
		if r&1 == 0 {
			library.SendBytes(data[:len(data)/2], other, 7)
			library.RecvPreallocBytes(data[:len(data)/2], other, 7)
		} else {
			library.RecvPreallocBytes(data[:len(data)/2], other, 7)
			library.SendBytes(data[:len(data)/2], other, 7)
		}
	}
}

// timeRounds times rounds of as many calls as take a few milliseconds.
func timeRounds(c mpi.Comm, name string, call func()) {
	start := time.Now()
	for range 3 {
		call()
	}
	once := []int64{int64(time.Since(start))/3 + 1}
	mpi.Combine(c, mpi.Max, once)
	n := min(max(int(3*time.Millisecond)/int(once[0]), 1), 5000)
	rounds := min(max(int(2*time.Second)/(n*int(once[0])), 3), 41)
	l := c.Lane(1)
	times := make([]float64, 0, rounds)
	for range rounds {
		c.Exchange(l, 0)
		start = time.Now()
		for range n {
			call()
		}
		times = append(times, float64(time.Since(start).Nanoseconds())/float64(n)/1e3)
	}
	c.Exchange(l, 0)
	if c.Rank() == 0 {
		fmt.Printf("%-50s %12.3f %12.3f us\n", name, smallest(times), middle(times))
	}
}

func smallest(v []float64) float64 { return slices.Min(v) }

func middle(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
