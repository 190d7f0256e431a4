// Package mpitest holds every engine to the contracts of mpi.Comm.
package mpitest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/migbsp/migbsp/mpi"
)

// A Launch runs body once for each rank of a run and returns when all are done. Body reports an
// error by its result, or by Need: see Guarded.
type Launch func(t *testing.T, body func(c mpi.Comm) error)

// Run runs the whole suite as subtests of t. All ranks of an MPI run call it.
func Run(t *testing.T, launch Launch) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { launch(t, c.body) })
	}
}

// Need ends the body of a Launch with err, if it is not nil. Got does the same for a call that also
// returns a value.
func Need(err error) {
	if err != nil {
		panic(needed{err})
	}
}

// Got returns value, after Need(err).
func Got[T any](value T, err error) T {
	Need(err)
	return value
}

type needed struct{ error }

// Guarded returns the body of a Launch that returns the errors of Need and Got too.
func Guarded(body func(c mpi.Comm) error) func(c mpi.Comm) error {
	return func(c mpi.Comm) (err error) {
		defer func() {
			if v := recover(); v != nil {
				n, is := v.(needed)
				if !is {
					panic(v)
				}
				err = n.error
			}
		}()
		return body(c)
	}
}

// OnRanks runs body on n ranks of this process. An error on one rank fails the test, and ends all.
func OnRanks(n int) Launch {
	return func(t *testing.T, body func(c mpi.Comm) error) {
		t.Helper()
		var all sync.WaitGroup
		for rank, c := range mpi.InProcess(n) {
			all.Go(func() {
				if err := Guarded(body)(c); err != nil {
					t.Errorf("rank %d of %d: %v", rank, n, err)
					c.Abort(1)
				}
			})
		}
		all.Wait()
	}
}

var cases = []struct {
	name string
	body func(c mpi.Comm) error
}{
	{"Sizes", sizes},
	{"RandomExchanges", randomExchanges},
	{"LanesAreIndependent", lanesAreIndependent},
	{"SharedMemory", sharedMemory},
	{"AllocIsZeroed", allocIsZeroed},
	{"Fold", fold},
	{"Runs", runs},
	{"Attached", attached},
	{"SendRecv", sendRecv},
	{"Post", post},
	{"PostRefuses", postRefuses},
	{"Broadcast", broadcast},
	{"Combine", combine},
	{"Attend", attend},
	{"AttendRefuses", attendRefuses},
	{"NoAllocations", noAllocations},
}

func sizes(c mpi.Comm) error {
	l := c.Lane(0)
	for _, n := range []int{
		0, 1, 7, 8, 63, 64, 100, 119, 120, 121, 127, 128, 129, 199, 200, 231, 232, 239, 240, 241, 247, 248, 249, 255, 256, 257, 1000,
		3983, 3984, 3985, 0, 4000, 3984, 4095, 4096, 65536, 1 << 21, 1, 3<<20 + 7, 0, 17, 1 << 20, 3, 5<<20 + 1, 0,
	} {
		for d := range l.Out {
			fill(&l.Out[d], Fewer(c, n, c.Rank(), d), seed(c.Rank(), d, n))
		}
		Got(c.Exchange(l, 0))
		for src, in := range l.In {
			if err := check(in, Fewer(c, n, src, c.Rank()), seed(src, c.Rank(), n)); err != nil {
				return fmt.Errorf("%d bytes from rank %d: %w", n, src, err)
			}
		}
	}
	return nil
}

// Fewer returns the number of bytes that one of many ranks sends to another if n may be large: n to
// itself and to the next three ranks, which are on its node and on others, and a part to the rest.
func Fewer(c mpi.Comm, n, from, to int) int {
	if n > 64<<10 && (to-from+c.Size())%c.Size() > 3 {
		return n >> 8
	}
	return n
}

// randomExchanges lets every rank derive the messages of all ranks in each round: in one of four
// all send, in the others one sends to one, so that the buffers of pairs get out of step with each
// other.
func randomExchanges(c mpi.Comm) error {
	plan := rand.New(rand.NewPCG(1, uint64(c.Size())))
	for round := range 1200 {
		l := c.Lane(plan.IntN(mpi.Lanes))
		length := make([]int, c.Size()*c.Size())
		length[plan.IntN(len(length))] = plan.IntN(200) << plan.IntN(8)
		for i := range length {
			if round%4 == 0 && plan.IntN(3) > 0 {
				length[i] = plan.IntN(1 << plan.IntN(15))
			}
		}
		for d := range l.Out {
			fill(&l.Out[d], length[c.Rank()*c.Size()+d], seed(c.Rank(), d, round))
		}
		Got(c.Exchange(l, 0))
		for src, in := range l.In {
			if err := check(in, length[src*c.Size()+c.Rank()], seed(src, c.Rank(), round)); err != nil {
				return fmt.Errorf("round %d from rank %d: %w", round, src, err)
			}
		}
	}
	return nil
}

// lanesAreIndependent checks that the data of a lane outlives exchanges on the other.
func lanesAreIndependent(c mpi.Comm) error {
	a, b := c.Lane(0), c.Lane(1)
	for round := range 50 {
		n := 10 + round*round*7
		for d := range a.Out {
			fill(&a.Out[d], n, seed(c.Rank(), d, round))
		}
		Got(c.Exchange(a, 0))
		for k := range 3 {
			for d := range b.Out {
				fill(&b.Out[d], n/2+k, seed(c.Rank(), d, -round-k))
			}
			Got(c.Exchange(b, 0))
			for src := range a.In {
				if err := check(a.In[src], n, seed(src, c.Rank(), round)); err != nil {
					return fmt.Errorf("round %d, first lane from rank %d: %w", round, src, err)
				}
				if err := check(b.In[src], n/2+k, seed(src, c.Rank(), -round-k)); err != nil {
					return fmt.Errorf("round %d, second lane from rank %d: %w", round, src, err)
				}
			}
		}
	}
	return nil
}

func combine(c mpi.Comm) error {
	p := int64(c.Size())
	mine := []int64{int64(c.Rank()) + 1, -1, -int64(c.Rank())}
	for _, test := range []struct {
		op   mpi.Op
		want []int64
	}{
		{mpi.Sum, []int64{p * (p + 1) / 2, -p, -p * (p - 1) / 2}},
		{mpi.Min, []int64{1, -1, 1 - p}},
		{mpi.Max, []int64{p, -1, 0}},
	} {
		v := slices.Clone(mine)
		Need(mpi.Combine(c, test.op, v))
		if !slices.Equal(v, test.want) {
			return fmt.Errorf("op %d: got %v, want %v", test.op, v, test.want)
		}
	}
	return mpi.Combine(c, mpi.Sum, nil)
}

// broadcast checks broadcasts that overtake waiting messages.
func broadcast(c mpi.Comm) error {
	for d := 1; d < c.Size() && c.Rank() == 0; d++ {
		Need(mpi.Send(c, d, Pattern(1, seed(0, d, 0))))
	}
	for root := range c.Size() {
		for _, n := range []int{0, 1, 3, 1000, 1 << 20} {
			got := make([]byte, n)
			if c.Rank() == root {
				got = Pattern(n, seed(root, 0, n))
			}
			Need(mpi.Broadcast(c, root, got))
			if err := check(got, n, seed(root, 0, n)); err != nil {
				return fmt.Errorf("%d bytes from root %d: %w", n, root, err)
			}
		}
	}
	if c.Rank() == 0 {
		return nil
	}
	mail := make([]byte, 1)
	Need(mpi.Recv(c, 0, mail))
	return check(mail, 1, seed(0, c.Rank(), 0))
}

func noAllocations(c mpi.Comm) error {
	l := c.Lane(0)
	round := func() error {
		for d := range l.Out {
			fill8(&l.Out[d])
		}
		_, err := c.Exchange(l, 0)
		return err
	}
	for range 100 {
		Need(round())
	}
	before := mallocs()
	const rounds = 10000
	for range rounds {
		Need(round())
	}
	if n := mallocs() - before; n > rounds/10 {
		return fmt.Errorf("%d allocations in %d exchanges, want none", n, rounds)
	}
	return nil
}

func fill8(b *mpi.Buffer) {
	b.Grow(8)
	b.Bytes = binary.NativeEndian.AppendUint64(b.Bytes, 42)
}

func seed(src, dst, round int) uint64 { return uint64(src)<<40 ^ uint64(dst)<<20 ^ uint64(round) }

// noise is the source of all patterns, made once.
var noise = sync.OnceValue(func() []byte {
	b, r := make([]byte, longest+starts), rand.NewPCG(1, 2)
	for i := 0; i < len(b); i += 8 {
		binary.NativeEndian.PutUint64(b[i:], r.Uint64())
	}
	return b
})

const longest, starts = 10 << 20, 1 << 20

// Pattern returns n bytes that differ from the bytes of another seed. The caller may not write
// them.
func Pattern(n int, seed uint64) []byte {
	seed *= 0x9e3779b97f4a7c15
	at := int((seed^seed>>32)*0xbf58476d1ce4e5b9>>32%starts) &^ 7
	return noise()[at:][:n:n]
}

func fill(b *mpi.Buffer, n int, seed uint64) {
	for rest := Pattern(n, seed); len(rest) > 0; {
		k := min(len(rest), 1+len(rest)/2)
		b.Grow(k)
		b.Bytes = append(b.Bytes, rest[:k]...)
		rest = rest[k:]
	}
}

func check(got []byte, n int, seed uint64) error {
	if len(got) != n {
		return fmt.Errorf("got %d bytes, want %d", len(got), n)
	}
	if !bytes.Equal(got, Pattern(n, seed)) {
		return fmt.Errorf("%d bytes arrived changed", n)
	}
	return nil
}
