package bsplib_test

import (
	"fmt"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
)

type none struct{}

// shapes are numbers of processes and ranks that every behaviour is tested on.
var shapes = []struct{ procs, ranks int }{{1, 1}, {1, 3}, {2, 1}, {2, 2}, {3, 2}, {4, 4}, {7, 3}, {16, 5}}

// everywhere runs a program on all shapes and fails the test if it fails.
func everywhere[S any](t *testing.T, program func(*bsplib.Proc, *S) error) {
	t.Helper()
	for _, s := range shapes {
		t.Run(fmt.Sprintf("%dProcs%dRanks", s.procs, s.ranks), func(t *testing.T) {
			if err := bsplib.Run(bsplib.Config{Procs: s.procs, Ranks: s.ranks}, program); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestPutReachesTheNeighbour(t *testing.T) {
	everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, make([]int, 4))
		b.Sync()
		right := (b.Pid() + 1) % b.NProcs()
		left := (b.Pid() + b.NProcs() - 1) % b.NProcs()
		x.Put(right, 1, 10+b.Pid(), 20+b.Pid())
		x.Put(right, 3, 30+b.Pid())
		b.Sync()
		if got, want := fmt.Sprint(x.Slice()), fmt.Sprint([]int{0, 10 + left, 20 + left, 30 + left}); got != want {
			return fmt.Errorf("process %d has %s, want %s", b.Pid(), got, want)
		}
		return nil
	})
}
