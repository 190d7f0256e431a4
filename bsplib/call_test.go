package bsplib_test

import (
	"fmt"
	"testing"

	"sync/atomic"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// Two Sets of two ranks; the first Set's manager is its second rank.
const twoSets = `#@set one manager=b speed=1
a slots=1
b slots=1
#@set two speed=0.5
c slots=1
d slots=1
`

// Reports go to the Sets' managers, from manager to manager, and decisions
// back: nothing else is told.
func TestCallsGoThroughManagers(t *testing.T) {
	bsptest.InProcess(t)
	cfg := bsplib.Config{Procs: 8, Platform: platform(t, twoSets), Balance: balance(t, "one,guard=0")}.
		WithWork(milliseconds(5))
	calls := recorded(t, cfg, passOn(30)).Calls
	if len(calls) < 2 {
		t.Fatalf("%d calls", len(calls))
	}
	for _, c := range calls {
		if c.Messages != 2+2+2 || c.Talk == 0 {
			t.Errorf("call %d: %d messages of %d bytes; want 6: two reports, two between managers, two decisions", c.Number, c.Messages, c.Talk)
		}
	}
}

// A manager's rank can be drained: another one takes over.
func TestManagersCanLeave(t *testing.T) {
	bsptest.InProcess(t)
	for rank := range 4 {
		cfg := bsplib.Config{Procs: 8, Platform: platform(t, twoSets), Balance: balance(t, "percent,guard=0,alpha=2")}.
			WithWork(milliseconds(5))
		err := bsptest.Try(t, cfg, func(b *bsplib.Proc, s *visits) error {
			for k := range b.Stages(20) {
				if k == 5 && b.Pid() == 3 {
					b.Runtime().Drain(rank)
				}
				if k > 5 && b.Rank() == rank {
					return fmt.Errorf("process %d is on rank %d in stage %d", b.Pid(), rank, k)
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("rank %d drained: %v", rank, err)
		}
	}
}

// Which of many ranks that share the cores a process runs on makes no difference: nothing
// moves among them, however unequal they are, where it would among ranks with a core each.
func TestNothingMovesAmongRanksThatShareCores(t *testing.T) {
	bsptest.InProcess(t)
	unequal := func(pid, _ int) time.Duration { return time.Duration(1+pid/4%3) * 5 * time.Hour }
	for _, strategy := range []string{"percent,guard=0,alpha=2", "pub-global,guard=0,alpha=2"} {
		for _, cores := range []float64{2, 12} {
			var moved atomic.Int32
			cfg := bsplib.Config{Procs: 48, Ranks: 12, Balance: balance(t, strategy)}.WithWork(unequal).WithCores(cores)
			err := bsptest.Try(t, cfg, func(b *bsplib.Proc, s *struct{ Rank int }) error {
				for k := range b.Stages(30) {
					if k > 0 && s.Rank != b.Rank() {
						moved.Add(1)
					}
					s.Rank = b.Rank()
				}
				return nil
			})
			if err != nil || moved.Load() > 0 != (cores == 12) {
				t.Errorf("%s: %d moves among 12 ranks of %g cores, %v", strategy, moved.Load(), cores, err)
			}
		}
	}
}
