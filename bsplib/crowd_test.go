package bsplib_test

import (
	"runtime"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// Which of many ranks that share the cores a process runs on makes no difference: nothing
// moves among them, however unequal the ranks are, and the reasons say so.
func TestNothingMovesAmongRanksThatShareCores(t *testing.T) {
	bsptest.InProcess(t)
	ranks := 6 * runtime.GOMAXPROCS(0)
	for _, strategy := range []string{"auto", "percent,guard=0,alpha=2"} {
		cfg := bsplib.Config{Procs: 4 * ranks, Ranks: ranks, Balance: balance(t, strategy)}
		h := recorded(t, cfg, func(b *bsplib.Proc, s *struct{ Sum float64 }) error {
			for range b.Stages(8) {
				for range 20_000 * (1 + b.Rank()%3) { // 0.1 ms or so
					s.Sum += 1 / (1 + s.Sum)
				}
			}
			return nil
		})
		if len(h.Calls) == 0 || len(h.Moves) > 0 {
			t.Errorf("%s: %d calls, %d moves among %d ranks", strategy, len(h.Calls), len(h.Moves), ranks)
		}
	}
}
