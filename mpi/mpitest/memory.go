package mpitest

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/migbsp/migbsp/mpi"
)

// sharedMemory makes each rank write into its neighbor's memory and read the data that its other
// neighbor wrote.
func sharedMemory(c mpi.Comm) error {
	const n = 100_000
	mem := c.Alloc(n, false)
	refs := Got(exchangeRefs(c, c.Share(mem)))
	right, left := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
	if p := c.Reach(right, refs[right]); p != nil {
		copy(unsafe.Slice((*byte)(p), n), Pattern(n, uint64(c.Rank())))
	} else if right == c.Rank() && refs[right] != 0 {
		return fmt.Errorf("a rank cannot reach its own shared memory")
	}
	reached := c.Reach(left, refs[left]) != nil
	Got(c.Exchange(c.Lane(0), 0))
	if reached {
		if err := check(mem, n, uint64(left)); err != nil {
			return fmt.Errorf("written by rank %d: %w", left, err)
		}
	}
	Got(c.Exchange(c.Lane(0), 0))
	runtime.KeepAlive(mem)
	return nil
}

func exchangeRefs(c mpi.Comm, mine mpi.Ref) ([]mpi.Ref, error) {
	l := c.Lane(0)
	for d := range l.Out {
		l.Out[d].Grow(8)
		l.Out[d].Bytes = binary.NativeEndian.AppendUint64(l.Out[d].Bytes, uint64(mine))
	}
	if _, err := c.Exchange(l, 0); err != nil {
		return nil, err
	}
	refs := make([]mpi.Ref, c.Size())
	for src, in := range l.In {
		refs[src] = mpi.Ref(binary.NativeEndian.Uint64(in))
	}
	return refs, nil
}

// allocIsZeroed lets go of dirty memory and looks whether it comes back clean.
func allocIsZeroed(c mpi.Comm) error {
	for round := range 50 {
		for _, n := range []int{0, 1, 64, 1000, 4096, 1 << 18} {
			dirty := c.Alloc(n, true)
			if len(dirty) != n || n > 0 && uintptr(unsafe.Pointer(&dirty[0]))%64 != 0 {
				return fmt.Errorf("Alloc(%d) has length %d, or is not aligned to 64", n, len(dirty))
			}
			mem := c.Alloc(n, false)
			if len(mem) != n {
				return fmt.Errorf("Alloc(%d) has length %d", n, len(mem))
			}
			if n > 0 && uintptr(unsafe.Pointer(&mem[0]))%64 != 0 {
				return fmt.Errorf("Alloc(%d) is not aligned to 64", n)
			}
			for i, x := range mem {
				if x != 0 {
					return fmt.Errorf("round %d: byte %d of Alloc(%d) is %d", round, i, n, x)
				}
				mem[i] = 0xff
			}
		}
	}
	return nil
}

func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}
