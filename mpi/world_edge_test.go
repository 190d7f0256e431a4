//go:build mpi && cgo

package mpi_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

// TestWorldMemoryComesAndGoes allocates, shares, writes and frees at random, in
// all ranks, and reads what the neighbour wrote.
func TestWorldMemoryComesAndGoes(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		rng := rand.New(rand.NewPCG(uint64(c.Rank()), 5))
		next, l := (c.Rank()+1)%c.Size(), c.Lane(0)
		var held [][]byte
		for round := range 200 {
			mem := c.Alloc(1+rng.IntN(1<<(4+rng.IntN(17))), false)
			if i := slices.IndexFunc(mem, func(b byte) bool { return b != 0 }); i >= 0 {
				return fmt.Errorf("round %d: byte %d of new memory is not zero", round, i)
			}
			copy(mem, mpitest.Pattern(len(mem), uint64(c.Rank()*1000+round)))
			b := &l.Out[(c.Rank()+c.Size()-1)%c.Size()]
			b.Grow(16)
			b.Bytes = binary.NativeEndian.AppendUint64(b.Bytes, uint64(c.Share(mem)))
			b.Bytes = binary.NativeEndian.AppendUint64(b.Bytes, uint64(len(mem)))
			mpitest.Got(c.Exchange(l, 0))
			ref := mpi.Ref(binary.NativeEndian.Uint64(l.In[next]))
			n := int(binary.NativeEndian.Uint64(l.In[next][8:]))
			if p := c.Reach(next, ref); p != nil && !bytes.Equal(unsafe.Slice((*byte)(p), n), mpitest.Pattern(n, uint64(next*1000+round))) {
				return fmt.Errorf("round %d: %d bytes of rank %d read as something else", round, n, next)
			}
			mpitest.Got(c.Exchange(l, 0))
			held = append(held, mem)
			for len(held) > 20 || len(held) > 0 && rng.IntN(3) == 0 {
				i := rng.IntN(len(held))
				held = slices.Delete(held, i, i+1)
			}
		}
		return nil
	})
}

// TestWorldAllocDoesNotGrow allocates many times the memory that it may take,
// and keeps little of it.
func TestWorldAllocDoesNotGrow(t *testing.T) {
	const most = 256 << 20
	world(t, func(c mpi.Comm) error {
		if c.Rank() > 1 { // each rank has memory of its own
			return nil
		}
		kept := make([][]byte, 10)
		total := 0
		for round := 0; total < 2*most; round++ {
			mem := c.Alloc([]int{100, 5000, 50_000, 3 << 20}[round%4], false)
			for i := 0; i < len(mem); i += 64 {
				mem[i] = byte(round)
			}
			kept[round/4%len(kept)] = mem
			total += len(mem)
			if c.Share(mem) == 0 {
				return nil // it is no memory that ranks share
			}
			if round%100 == 0 {
				if n := sharedResident(); n > most {
					return fmt.Errorf("after %d MiB were allocated, %d MiB are in use", total>>20, n>>20)
				}
			}
		}
		return nil
	})
}

// sharedResident is how many bytes of shared memory this process has in use. Only
// where there is a /proc do ranks share any.
func sharedResident() int {
	text, _ := os.ReadFile("/proc/self/status")
	_, after, _ := strings.Cut(string(text), "RssShmem:")
	n := 0
	fmt.Sscan(after, &n)
	return n << 10
}

// TestWorldBeyondInt sends more bytes than a C int counts. It needs 8 GiB.
func TestWorldBeyondInt(t *testing.T) {
	if os.Getenv("MIGBSP_LARGE_TESTS") == "" {
		t.Skip("set MIGBSP_LARGE_TESTS=1 to run")
	}
	world(t, func(c mpi.Comm) error {
		const n = 1<<31 + 4097
		l := c.Lane(0)
		if c.Rank() == 0 {
			b := &l.Out[c.Size()-1]
			b.Grow(n)
			b.Bytes = b.Bytes[:n]
			b.Bytes[0], b.Bytes[1<<30], b.Bytes[n-1] = 1, 2, 3
		}
		mpitest.Got(c.Exchange(l, 0))
		if in := l.In[0]; c.Rank() == c.Size()-1 && (len(in) != n || in[0] != 1 || in[1<<30] != 2 || in[n-1] != 3) {
			return fmt.Errorf("%d bytes arrived, or others than were sent", len(in))
		}
		return nil
	})
}
