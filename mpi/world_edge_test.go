//go:build mpi && cgo

package mpi_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

// TestWorldMemoryComesAndGoes allocates, shares, writes and frees at random, in all ranks, and
// reads the neighbor's data.
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

// sharedResident returns the number of bytes of shared memory that this process has in use. Only
// systems with a /proc let ranks share any.
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

// TestWorldLateRounds checks that rounds end if all their messages come at once, with pieces that
// were sent before.
func TestWorldLateRounds(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		if c.Size() == 1 {
			return nil
		}
		return mpi.LateRounds(c)
	})
}

// TestWorldOnePiece checks that a piece which is a parcel takes no additional memory.
func TestWorldOnePiece(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		one := mpitest.Got(mpi.Again(c))
		present, nodes := make([]bool, c.Size()), make(map[int]bool)
		for r := range present { // a rank of each node
			present[r] = !nodes[c.Engine().Nodes[r]]
			nodes[c.Engine().Nodes[r]] = true
		}
		mpitest.Got(one.Attend(present, nil))
		l := one.Lane(0)
		if !present[c.Rank()] {
			_, err := one.Exchange(l, 0)
			return err
		}
		const n = 3 << 20
		for dst := range l.Out {
			if present[dst] {
				l.Out[dst].Grow(n)
				l.Out[dst].Bytes = l.Out[dst].Bytes[:n]
			}
		}
		mpitest.Got(one.Exchange(l, 0))
		if kept := mpi.Packed(one); kept > 0 {
			return fmt.Errorf("%d bytes for %d pieces", kept, len(nodes)-1)
		}
		mpitest.Got(one.Attend(nil, nil))
		_, err := one.Exchange(l, 0)
		return err
	})
}

// TestWorldLateSends checks that pieces reach their ranks while their senders already wait in the
// next exchange. Sockets are full then, in a run over TCP with small buffers.
func TestWorldLateSends(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		plan := rand.New(rand.NewPCG(3, uint64(c.Size())))
		l := c.Lane(0)
		for range 100 {
			for range 1 + c.Size()/2 {
				src, dst, n := plan.IntN(c.Size()), plan.IntN(c.Size()), 48<<10+plan.IntN(64<<10)
				if src == c.Rank() && len(l.Out[dst].Bytes) == 0 {
					l.Out[dst].Grow(n)
					l.Out[dst].Bytes = l.Out[dst].Bytes[:n]
				}
			}
			for range 2 {
				mpitest.Got(c.Exchange(l, 0))
			}
		}
		return nil
	})
}

// TestWorldLeaderFails checks that all ranks of a node leave an exchange that the first rank of the
// node cannot make, here because other nodes are in another exchange.
func TestWorldLeaderFails(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		nodes := 0
		for r := range c.Size() {
			nodes = max(nodes, c.Engine().Nodes[r]+1)
		}
		if nodes == 1 || mpi.Rounds(c, nodes) > 1 { // a node may wait for another that has failed
			return nil
		}
		all := mpitest.Got(mpi.Again(c))
		lane := 0
		if c.Engine().Nodes[c.Rank()] > 0 {
			lane = 1
		}
		if _, err := all.Exchange(all.Lane(lane), 0); err == nil {
			return errors.New("ranks that are in different exchanges have come out of them")
		}
		return nil
	})
}

// TestWorldRankFails checks that a rank that has failed, before it has arrived at an exchange or
// when it has left one, ends any wait of all other ranks of its node.
func TestWorldRankFails(t *testing.T) {
	wait := map[string]func(c mpi.Comm, of int) error{
		"Exchange": func(c mpi.Comm, _ int) error { _, err := c.Exchange(c.Lane(0), 0); return err },
		"Recv":     func(c mpi.Comm, of int) error { return mpi.Recv(c, of, make([]byte, 8)) },
	}
	for _, name := range slices.Sorted(maps.Keys(wait)) {
		for _, last := range []bool{false, true} { // the first of a node is its leader
			world(t, func(c mpi.Comm) error {
				all := mpitest.Got(mpi.Again(c))
				var here []int
				for r := range all.Size() {
					if all.Engine().Nodes[r] == all.Engine().Nodes[all.Rank()] {
						here = append(here, r)
					}
				}
				victim := here[0]
				if last {
					victim = here[len(here)-1]
				}
				for range 3 {
					mpitest.Got(all.Exchange(all.Lane(1), 0))
				}
				made := errors.New("made by a test")
				if all.Rank() == victim {
					mpi.Fail(all, made)
				}
				err := wait[name](all, victim)
				if all.Rank() == victim && !errors.Is(err, made) || err == nil {
					return fmt.Errorf("%s after a failure of rank %d: error %v", name, victim, err)
				}
				if _, err := all.Exchange(all.Lane(0), 0); err == nil {
					return fmt.Errorf("an exchange after a failure of rank %d, and after that of %s, has no error", victim, name)
				}
				return nil
			})
		}
	}
}
