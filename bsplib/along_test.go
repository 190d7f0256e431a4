package bsplib_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
	"weak"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

// ofTheRuntime counts the exchanges that carry the runtime's own messages.
type ofTheRuntime struct {
	mpi.Comm
	count *atomic.Int64
}

func (c ofTheRuntime) Exchange(l *mpi.Lane, flags mpi.Flags) (mpi.Flags, error) {
	if l == c.Lane(1) && c.Rank() == 0 {
		c.count.Add(1)
	}
	return c.Comm.Exchange(l, flags)
}

// attached is byCopies in both directions.
type attached struct{ byCopies }

func (c attached) Copy(rank int, ref mpi.Ref, offset int, data []byte, to bool) error {
	return c.copy(rank, ref, offset, data, to)
}

// waysToMove returns the transports of large parts of a state, with the number of exchanges in a
// move: the call's two, and two more if states are sent in pieces.
func waysToMove() map[string]struct {
	node []int
	as   func(onNodes) mpi.Comm
	want int64
} {
	runs := newRunsOfAll()
	return map[string]struct {
		node []int
		as   func(onNodes) mpi.Comm
		want int64
	}{
		"addressed": {[]int{0, 0, 0}, func(c onNodes) mpi.Comm { return c }, 2},
		"attached":  {[]int{0, 0, 0}, func(c onNodes) mpi.Comm { return attached{byCopies{c}} }, 2},
		"runs":      {[]int{0, 1, 2}, func(c onNodes) mpi.Comm { return &oneRank{byRuns: byRuns{c, runs}} }, 2},
		"pieces":    {[]int{0, 1, 2}, func(c onNodes) mpi.Comm { return c }, 4},
	}
}

// traveller is the state of a process that moves.
type traveller struct {
	Data  []uint32
	Area  bsplib.Area[uint16]
	Post  bsplib.Queue[int, int]
	Stops []int
}

// begin fills the state, and right reports whether it is unchanged.
func (s *traveller) begin(b *bsplib.Proc) {
	s.Data, s.Area, s.Post = make([]uint32, 70_000), bsplib.Alloc[uint16](b, 50_000), bsplib.NewQueue[int, int](b)
	for i := range s.Data {
		s.Data[i] = uint32(b.Pid() + 7*i)
	}
	b.Sync()
}

func (s *traveller) right(b *bsplib.Proc, stage int) error {
	for i, v := range s.Data {
		if v != uint32(b.Pid()+7*i) {
			return fmt.Errorf("word %d of process %d is %d in stage %d", i, b.Pid(), v, stage)
		}
	}
	if at := s.Area.Slice(); stage > 0 && (at[49_999] != uint16(stage) || s.Post.Len() != 1) {
		return fmt.Errorf("process %d has %d in its area and %d messages in stage %d", b.Pid(), at[49_999], s.Post.Len(), stage)
	}
	s.Area.Put((b.Pid()+1)%b.NProcs(), 49_999, uint16(stage+1))
	s.Post.Send((b.Pid()+1)%b.NProcs(), 1, stage)
	return nil
}

// A process that asks to move has arrived with its whole state when the call is over, on every
// transport.
func TestMovesGoAlongWithTheCall(t *testing.T) {
	bsptest.InProcess(t)
	const stages = 6
	for name, way := range waysToMove() {
		exchanges := func(moves bool) int64 {
			var count atomic.Int64
			as := func(c onNodes) mpi.Comm {
				c.Comm = ofTheRuntime{c.Comm, &count}
				return way.as(c)
			}
			err := runOn(6, way.node, as, func(b *bsplib.Proc, s *traveller) error {
				if b.Fresh() {
					s.begin(b)
				}
				for k := range b.Stages(stages + 1) {
					if err := s.right(b, k); err != nil {
						return err
					}
					s.Stops = append(s.Stops, b.Rank())
					if moves && k < stages && b.Pid() == k%2 { // two, by turns
						b.Migrate(bsplib.OnRank((b.Rank() + 1) % 3))
					}
				}
				if moves && b.Pid() == 0 && fmt.Sprint(s.Stops) != "[0 1 1 2 2 0 0]" {
					return fmt.Errorf("it was on ranks %v", s.Stops)
				}
				return nil
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return count.Load()
		}
		without, with := exchanges(false), exchanges(true)
		if each := float64(with-without) / stages; each != float64(way.want) {
			t.Errorf("%s: a move takes %v exchanges, not %d", name, each, way.want)
		}
	}
}

// If a call refuses some of the moves that go along with it, or makes others as well, no part of
// a refused state stays behind.
func TestMovesThatGoAlongAndAreRefused(t *testing.T) {
	bsptest.InProcess(t)
	for name, way := range waysToMove() {
		err := runOn(6, way.node, way.as, func(b *bsplib.Proc, s *traveller) error {
			if b.Fresh() {
				s.begin(b)
			}
			for k := range b.Stages(7) {
				if err := s.right(b, k); err != nil {
					return err
				}
				if k == 1 && b.Pid() == 0 {
					b.Runtime().Drain(2) // moves others too
				}
				refused := k > 2 && b.Pid() == 0
				if refused != (b.MigrateError() != nil) || refused && !strings.Contains(b.MigrateError().Error(), "drained") {
					return fmt.Errorf("process %d in stage %d: %v", b.Pid(), k, b.MigrateError())
				}
				switch {
				case b.Pid() == 0 && k > 1:
					b.Migrate(bsplib.OnRank(2))
				case b.Pid() < 3:
					b.Migrate(bsplib.OnRank(1 - min(1, b.Rank())))
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// named is onNodes that records the memory behind each name, and counts requests for names whose
// memory the program no longer keeps alive.
type named struct {
	onNodes
	names *names
}

type names struct {
	sync.Mutex
	given map[mpi.Ref][]weak.Pointer[byte]
	stale int
}

func (c named) Share(mem []byte) mpi.Ref {
	ref := c.onNodes.Share(mem)
	c.names.Lock()
	defer c.names.Unlock()
	c.names.given[ref] = append(c.names.given[ref], weak.Make(unsafe.SliceData(mem)))
	return ref
}

func (c named) Reach(rank int, ref mpi.Ref) unsafe.Pointer {
	runtime.GC()
	c.names.Lock()
	defer c.names.Unlock()
	alive := func(p weak.Pointer[byte]) bool { return p.Value() != nil }
	if ref != 0 && !slices.ContainsFunc(c.names.given[ref], alive) {
		c.names.stale++
		return nil
	}
	return c.onNodes.Reach(rank, ref)
}

// If one process moved along and another did not, no rank looks for the dropped copy.
func TestCopiesThatCameInVainAreForgotten(t *testing.T) {
	bsptest.InProcess(t)
	account := &names{given: make(map[mpi.Ref][]weak.Pointer[byte])}
	node := []int{0, 0, 1} // to and from rank 2 states go in pieces
	err := runOn(3, node, func(c onNodes) mpi.Comm { return named{c, account} }, func(b *bsplib.Proc, s *traveller) error {
		if b.Fresh() {
			s.begin(b)
		}
		for k := range b.Stages(6) {
			if err := s.right(b, k); err != nil {
				return err
			}
			switch {
			case b.Pid() == 0:
				b.Migrate(bsplib.OnRank(1 - b.Rank()))
			case b.Pid() == 2:
				b.Migrate(bsplib.OnRank(2 - b.Rank()))
			}
		}
		return nil
	})
	if err != nil || account.stale > 0 {
		t.Errorf("%v; memory that was no longer kept was looked for %d times", err, account.stale)
	}
}

// A call that ends the run leaves no message under way that the next run on these ranks could
// receive.
func TestCallThatEndsTheRunLeavesNothingOnItsWay(t *testing.T) {
	bsptest.InProcess(t)
	runs, node := newRunsOfAll(), []int{0, 1, 2}
	mpitest.OnRanks(3)(t, func(comm mpi.Comm) error {
		c := &oneRank{byRuns: byRuns{onNodes{comm, node}, runs}}
		err := bsplib.Run(bsplib.Config{Procs: 3, Comm: c}, func(b *bsplib.Proc, s *traveller) error {
			if b.Fresh() {
				s.begin(b)
			}
			for range b.Stages(2) {
				b.Migrate(bsplib.OnRank((b.Rank() + 1) % 3))
				b.Runtime().Drain(b.Pid())
			}
			return nil
		})
		if n := len(c.ends[mpi.Moves]); n > 0 || err == nil || !strings.Contains(err.Error(), "drained") {
			t.Errorf("rank %d has %d runs that it does not wait for; %v", comm.Rank(), n, err)
		}
		return nil
	})
	if runs.count == 0 {
		t.Error("nothing was on its way")
	}
}
