package bsplib_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// visits records the ranks of a process.
type visits struct {
	Ranks  []int
	Buffer bsplib.Area[byte]
}

// A process moves to the rank that it requests, when the stage ends.
func TestMigrateToRanks(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, s *visits) error {
		for k := range b.Stages(6) {
			s.Ranks = append(s.Ranks, b.Rank())
			b.Migrate(bsplib.OnRank((b.Pid() + k) % b.NRanks()))
			b.Sync()
			if b.MigrateError() != nil {
				return b.MigrateError()
			}
		}
		var want []int
		for k := range 5 {
			want = append(want, (b.Pid()+k)%b.NRanks())
		}
		return equal(b, "ranks", s.Ranks[1:], want)
	})
}

func TestMigrateNextToAProcess(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, s *visits) error {
		for range b.Stages(2) {
			b.Migrate(bsplib.NextTo(b.NProcs() - 1))
		}
		return equal(b, "rank", b.Rank(), (b.NRanks()*b.NProcs()-1)/b.NProcs())
	})
}

func TestMigrateToHost(t *testing.T) {
	bsptest.InProcess(t)
	cfg := bsplib.Config{Procs: 6, Platform: platform(t, "#@set s\nalpha slots=2\nbeta slots=2\n")}
	must.Do(t, bsptest.Try(t, cfg, func(b *bsplib.Proc, s *visits) error {
		for range b.Stages(1) {
			b.Migrate(bsplib.OnHost("beta"))
		}
		return equal(b, "on the second host", b.Rank() >= 2, true)
	}))
}

func TestPlacesThatDoNotExist(t *testing.T) {
	bsptest.InProcess(t)
	for place, want := range map[bsplib.Place]string{
		bsplib.OnRank(2):      "rank 2; there are ranks 0 to 1",
		bsplib.OnRank(-1):     "rank -1; there are ranks 0 to 1",
		bsplib.NextTo(3):      "process 3; there are processes 0 to 2",
		bsplib.OnHost("nova"): `host "nova"; the run is on`,
		{}:                    "the zero Place",
	} {
		err := bsplib.Run(bsplib.Config{Procs: 3, Ranks: 2}, func(b *bsplib.Proc, _ *none) error {
			for range b.Stages(1) {
				b.Migrate(place)
			}
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "place_test.go") {
			t.Errorf("%v: %v, want %q", place, err, want)
		}
	}
}

// A pinned process stays, also if it requests a move, until it is unpinned.
func TestPin(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, s *visits) error {
		next := (b.Rank() + 1) % b.NRanks()
		for k := range b.Stages(3) {
			s.Ranks = append(s.Ranks, b.Rank())
			switch {
			case k == 0 && b.Pid() == 0:
				b.Runtime().Pin()
			case k == 2 && b.Pid() == 0:
				if err := b.MigrateError(); b.NRanks() > 1 && (err == nil || !strings.Contains(err.Error(), "pinned")) {
					return fmt.Errorf("MigrateError %v", err)
				}
				b.Runtime().Unpin()
			}
			if k > 0 {
				b.Migrate(bsplib.OnRank(next))
			}
		}
		if b.Pid() == 0 {
			first := s.Ranks[0]
			return equal(b, "ranks until it was free", append(s.Ranks, b.Rank()), []int{first, first, first, (first + 1) % b.NRanks()})
		}
		return nil
	})
}

// A process stays pinned in a restarted run, in which it does not call Pin again.
func TestPinHoldsInARestartedRun(t *testing.T) {
	bsptest.InProcess(t)
	dir := t.TempDir()
	program := func(b *bsplib.Proc, _ *none) error {
		if b.Fresh() && b.Pid() == 0 {
			b.Runtime().Pin()
		}
		for k := range b.Stages(4) {
			err := b.MigrateError()
			if pinned := err != nil && strings.Contains(err.Error(), "pinned"); k > 1 && pinned != (b.Pid() == 0) {
				return fmt.Errorf("stage %d, process %d: MigrateError %v", k, b.Pid(), err)
			}
			b.Migrate(bsplib.OnRank((b.Rank() + 1) % b.NRanks()))
		}
		return nil
	}
	first := bsplib.Config{Procs: 3, Ranks: 3, Checkpoint: &bsplib.Checkpoint{Dir: dir, Trigger: asked()}}
	if err := bsplib.Run(first, program); !errors.Is(err, bsplib.ErrCheckpointed) {
		t.Fatal(err)
	}
	must.Do(t, bsplib.Run(bsplib.Config{Ranks: 2, Checkpoint: &bsplib.Checkpoint{Restart: dir}}, program))
}

// Requests are granted and refused together with each other and with moves that no process
// requested; a process moves or stays with its whole state.
func TestRequestsBesideOthers(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, s *traveller) error {
		last := b.NRanks() - 1
		if last == 0 {
			return nil
		}
		if b.Fresh() {
			s.begin(b)
		}
		for k := range b.Stages(4) {
			if err := s.right(b, k); err != nil {
				return err
			}
			odd := b.Pid()%2 == 1
			switch {
			case k == 0 && b.Pid() == 0:
				b.Runtime().Drain(last)
			case k == 0:
				b.Migrate(bsplib.OnRank(b.Pid() % last))
			case b.Rank() == last:
				return fmt.Errorf("process %d is on rank %d in stage %d", b.Pid(), last, k)
			case k == 1 && odd:
				b.Migrate(bsplib.OnRank(last))
			case k == 1:
				b.Migrate(bsplib.OnRank(0))
			case k == 2 && odd:
				if err := b.MigrateError(); err == nil || !strings.Contains(err.Error(), "is drained") {
					return fmt.Errorf("process %d was refused a drained rank: %v", b.Pid(), err)
				}
			case k == 2 && (b.Rank() != 0 || b.MigrateError() != nil):
				return fmt.Errorf("process %d is on rank %d: %v", b.Pid(), b.Rank(), b.MigrateError())
			}
		}
		return nil
	})
}

// Arrived returns the previous rank until the end of the first stage after a move.
func TestArrived(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, s *visits) error {
		from, just := b.Runtime().Arrived()
		last := len(s.Ranks) - 1
		if moved := last >= 0 && s.Ranks[last] != b.Rank(); just != moved || just && from != s.Ranks[last] {
			return fmt.Errorf("process %d on rank %d after %v: arrived %v from %d", b.Pid(), b.Rank(), s.Ranks, just, from)
		}
		for k := range b.Stages(4) {
			if _, still := b.Runtime().Arrived(); still && len(s.Ranks) > 0 && s.Ranks[len(s.Ranks)-1] == b.Rank() {
				return fmt.Errorf("process %d has arrived in stage %d, and had before", b.Pid(), k)
			}
			s.Ranks = append(s.Ranks, b.Rank())
			if k == 1 {
				b.Migrate(bsplib.OnRank((b.Rank() + 1) % b.NRanks()))
			}
		}
		return nil
	})
}

func TestDrainOfAllRanksIsRefused(t *testing.T) {
	bsptest.InProcess(t)
	err := bsplib.Run(bsplib.Config{Procs: 3, Ranks: 2}, func(b *bsplib.Proc, _ *none) error {
		for range b.Stages(2) {
			b.Runtime().Drain(b.Pid() % 2)
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "all 2 ranks are to be drained") {
		t.Errorf("draining all ranks: %v", err)
	}
}

// A process that does not fit stays, and gets the reason.
func TestMigrateIsRefusedWithAReason(t *testing.T) {
	bsptest.InProcess(t)
	cfg := bsplib.Config{Procs: 2, Platform: platform(t, "#@set s memory=1MiB\nalpha slots=1\nbeta slots=1\n")}
	must.Do(t, bsptest.Try(t, cfg, func(b *bsplib.Proc, s *visits) error {
		if b.Fresh() {
			s.Buffer = bsplib.Alloc[byte](b, 700<<10)
			b.Sync()
		}
		for range b.Stages(2) {
			if b.Pid() == 1 {
				b.Migrate(bsplib.OnRank(0))
			}
		}
		if b.Pid() == 0 {
			return nil
		}
		if b.MigrateError() == nil || b.Rank() != 1 {
			return fmt.Errorf("on rank %d, refused with %v", b.Rank(), b.MigrateError())
		}
		return nil
	}))
}

// The error of a refused request moves with the process.
func TestMigrateErrorMoves(t *testing.T) {
	type state struct{ Refusals int }
	bsptest.InProcess(t)
	cfg := bsplib.Config{Procs: 2, Ranks: 2}
	must.Do(t, bsplib.Run(cfg, func(b *bsplib.Proc, s *state) error {
		for k := range b.Stages(3) {
			if b.MigrateError() != nil {
				s.Refusals++
			}
			if k == 0 {
				if b.Pid() == 0 {
					b.Runtime().Drain(0)
				}
				b.Migrate(bsplib.OnRank(0))
			}
		}
		if b.Rank() != 1 || s.Refusals == 0 {
			return fmt.Errorf("process %d is on rank %d and was told of %d refusals", b.Pid(), b.Rank(), s.Refusals)
		}
		return nil
	}))
}
