package bsplib_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

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
