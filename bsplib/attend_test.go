package bsplib_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

// wanderer is a process that moves to a given rank at each stage.
type wanderer struct {
	Sum   int
	Area  bsplib.Area[int]
	Fresh bsplib.Area[int] // registered in one stage, popped in the next but one
	Mail  bsplib.Queue[int, int]
}

// goal returns the rank of process pid after stage k: all on one rank, each in turn; all on two;
// or spread over all ranks.
func goal(pid, k, ranks int) int {
	switch k % 4 {
	case 0, 1:
		return k / 2 % ranks
	case 2:
		return (k + pid%2) % ranks
	}
	return (pid + k) % ranks
}

// inhabited returns the number of ranks with processes after stage k.
func inhabited(procs, k, ranks int) int {
	at := make(map[int]bool)
	for pid := range procs {
		at[goal(pid, k, ranks)] = true
	}
	return len(at)
}

const wanderings = 24

// wander moves the processes so that ranks become empty and get processes again. In between it uses
// every operation that needs the ranks of other processes.
func (s *wanderer) wander(b *bsplib.Proc) error {
	n, pid := b.NProcs(), b.Pid()
	if b.Fresh() {
		s.Area = bsplib.Register(b, make([]int, n))
		s.Mail = bsplib.NewQueue[int, int](b)
		b.Sync()
	}
	for k := range b.Stages(wanderings) {
		if k > 0 {
			if want := goal(pid, k-1, b.NRanks()); b.Rank() != want {
				return fmt.Errorf("stage %d: process %d is on rank %d, want %d: %v", k, pid, b.Rank(), want, b.MigrateError())
			}
		}
		if want := b.NRanks() - inhabited(n, k-1, b.NRanks()); k > 0 && bsplib.Absent(b) != want {
			return fmt.Errorf("stage %d: %d ranks are away, want %d", k, bsplib.Absent(b), want)
		}
		if k%3 == 0 {
			s.Fresh = bsplib.Alloc[int](b, 3+pid+k)
			b.Sync()
		}
		for to := range n {
			s.Area.Put(to, pid, 1000*k+pid)
		}
		s.Fresh.Put((pid+1)%n, k%3, pid+k)
		s.Mail.Send((pid+k)%n, k, pid)
		b.Sync()
		for tag, from := range s.Mail.All() {
			s.Sum += tag*n + from[0]
		}
		got := make([]int, 1)
		s.Area.Get((pid+2)%n, pid, got)
		b.Sync()
		for from, x := range s.Area.Slice() {
			if x != 1000*k+from {
				return fmt.Errorf("stage %d: process %d has %d from %d", k, pid, x, from)
			}
		}
		if got[0] != 1000*k+pid || s.Fresh.Slice()[k%3] != (pid+n-1)%n+k {
			return fmt.Errorf("stage %d: process %d got %d, and has %d", k, pid, got[0], s.Fresh.Slice()[k%3])
		}
		if k%3 == 2 {
			s.Fresh.Pop()
			b.Sync()
		}
		s.Sum = bsplib.Allreduce(b, s.Sum, func(x, y int) int { return x + y }) % 1_000_003
		if k < wanderings-1 {
			b.Migrate(bsplib.OnRank(goal(pid, k, b.NRanks())))
		}
	}
	b.Report(bsplib.Result{Title: "wander", Size: fmt.Sprint(b.Superstep()), Checksum: fmt.Sprint(s.Sum)})
	return nil
}

// Neither the mapping nor the absence of ranks changes the result, and the account has all
// supersteps.
func TestRanksLeaveAndReturn(t *testing.T) {
	for _, procs := range []int{1, 2, 3, 5} {
		checksum := ""
		for _, cfg := range bsptest.Configs(procs) {
			for _, kept := range []bool{false, true} {
				var result bsplib.Result
				cfg.Result = &result
				var written record
				account := &ledger.Account{Recorder: ledger.NewRecorder(&written, func(err error) { t.Error(err) }).Unhurried()}
				if cfg.Measure = kept; kept {
					cfg.Account = account
				}
				err := bsptest.Try(t, cfg, func(b *bsplib.Proc, s *wanderer) error { return s.wander(b) })
				if err != nil {
					t.Fatalf("%s: %v", bsptest.Describe(cfg), err)
				}
				if !leads(cfg) {
					continue
				}
				if checksum == "" {
					checksum = result.Checksum
				}
				if result.Checksum != checksum || checksum == "" {
					t.Errorf("%s: checksum %q, want %q", bsptest.Describe(cfg), result.Checksum, checksum)
				}
				if kept {
					account.Recorder.Close(&ledger.End{}, nil)
				}
				if kept && fmt.Sprint(account.Steps()) != result.Size {
					t.Errorf("%s: the account has %d supersteps, want %s", bsptest.Describe(cfg), account.Steps(), result.Size)
				}
			}
		}
	}
}

// Errors that all processes reach together end the run with the same error on all ranks, including
// ranks that are away.
func TestFailuresWhileRanksAreAway(t *testing.T) {
	for _, c := range []struct {
		name string
		fail func(b *bsplib.Proc) error
		kind bsplib.Kind
		want string
	}{
		{"returned", func(b *bsplib.Proc) error {
			if b.Pid() == 1 {
				return errors.New("no more")
			}
			b.Sync()
			return nil
		}, bsplib.KindFailed, "no more"},
		{"notverified", func(b *bsplib.Proc) error { return bsplib.ErrNotVerified }, bsplib.KindFailed, "verif"},
		{"ended", func(b *bsplib.Proc) error {
			if b.Pid() == 1 {
				b.Sync()
			}
			return nil
		}, bsplib.KindEndMismatch, "process 0 has ended"},
		{"registered", func(b *bsplib.Proc) error {
			return alone(func(b *bsplib.Proc) { bsplib.Register(b, make([]int, 1)) })(b, nil)
		}, bsplib.KindRegisterMismatch, "it registered or popped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, cfg := range bsptest.Configs(2) {
				for _, to := range []int{0, 1} {
					err := bsptest.Try(t, cfg, func(b *bsplib.Proc, _ *struct{}) error {
						for range b.Stages(1) {
							b.Migrate(bsplib.OnRank(to % b.NRanks()))
						}
						b.Sync()
						return c.fail(b)
					})
					e, is := errors.AsType[*bsplib.Error](err)
					if !is || e.Kind != c.kind || !strings.Contains(err.Error(), c.want) {
						t.Errorf("%s, on rank %d: %v", bsptest.Describe(cfg), to, err)
					}
				}
			}
		})
	}
}

// A failure known only to its own rank wakes the ranks that are away.
func TestAbortWhileRanksAreAway(t *testing.T) {
	bsptest.InProcess(t)
	for _, cfg := range bsptest.Configs(2) {
		err := bsptest.Try(t, cfg, func(b *bsplib.Proc, _ *struct{}) error {
			for range b.Stages(1) {
				b.Migrate(bsplib.OnRank(0))
			}
			b.Sync()
			if b.Pid() == 1 {
				panic("alone")
			}
			b.Sync()
			return nil
		})
		if e, is := errors.AsType[*bsplib.Error](err); !is || e.Pid != 1 || !strings.Contains(err.Error(), "alone") {
			t.Errorf("%s: %v", bsptest.Describe(cfg), err)
		}
	}
}

// A request for a checkpoint without a directory is answered even while rank 0 is away.
func TestRequestWhileRank0IsAway(t *testing.T) {
	bsptest.InProcess(t)
	var told strings.Builder
	cfg := bsplib.Config{Procs: 2, Ranks: 3, Checkpoint: &bsplib.Checkpoint{Trigger: new(bsplib.CheckpointTrigger), Log: io.Writer(&told)}}
	trigger := cfg.Checkpoint.Trigger
	err := bsptest.Try(t, cfg, func(b *bsplib.Proc, _ *struct{}) error {
		for k := range b.Stages(4) {
			b.Migrate(bsplib.OnRank(2))
			if k == 2 && b.Pid() == 0 {
				trigger.Fire()
			}
		}
		return nil
	})
	if err != nil || strings.Count(told.String(), "names no directory") != 1 {
		t.Errorf("%v; told %q", err, told.String())
	}
}

// A request on a rank that is away, in a Go program of its own, reaches the other ranks.
func TestRequestOnARankThatIsAway(t *testing.T) {
	bsptest.InProcess(t)
	defer bsplib.RollCallEvery(5 * time.Millisecond)()
	dir := t.TempDir()
	var requests [3]bsplib.CheckpointTrigger
	mpitest.OnRanks(3)(t, func(comm mpi.Comm) error {
		cfg := bsplib.Config{Procs: 2, Comm: comm, Checkpoint: &bsplib.Checkpoint{Dir: dir, Trigger: &requests[comm.Rank()]}}
		err := bsplib.Run(cfg, func(b *bsplib.Proc, _ *struct{}) error {
			for k := range b.Stages(100_000) {
				if k == 0 {
					b.Migrate(bsplib.OnRank(1))
				}
				if k == 1 && b.Pid() == 0 {
					requests[2].Fire()
				}
				time.Sleep(50 * time.Microsecond)
			}
			return nil
		})
		if !errors.Is(err, bsplib.ErrCheckpointed) {
			return fmt.Errorf("it ends with %w", err)
		}
		return nil
	})
}
