package bsplib_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/ledger"
)

// The account counts what leaves ranks, by the way that it goes: Puts, HPPuts, Gets,
// messages and broadcasts between two ranks and within one, short and long.
func TestBytesByWay(t *testing.T) {
	bsptest.InProcess(t)
	const short, long = 100, 100_000
	for name, c := range map[string]struct {
		do   func(b *bsplib.Proc, area bsplib.Area[byte], to, n int)
		head int // that each may have beside its bytes
	}{
		"Put":   {func(b *bsplib.Proc, area bsplib.Area[byte], to, n int) { area.Put(to, 0, make([]byte, n)...) }, 200},
		"HPPut": {func(b *bsplib.Proc, area bsplib.Area[byte], to, n int) { area.HPPut(to, 0, make([]byte, n)...) }, 200},
		"Get":   {func(b *bsplib.Proc, area bsplib.Area[byte], to, n int) { area.Get(to, 0, make([]byte, n)) }, 200},
	} {
		for _, n := range []int{short, long} {
			h := recorded(t, bsplib.Config{Procs: 4, Ranks: 2}, func(b *bsplib.Proc, _ *struct{}) error {
				area := bsplib.Alloc[byte](b, long)
				b.Sync()
				switch b.Pid() { // processes 0 and 1 are on rank 0, 2 and 3 on rank 1
				case 0:
					c.do(b, area, 2, n)
				case 3:
					c.do(b, area, 3, n)
				}
				b.Sync()
				b.Sync()
				return nil
			})
			for i, s := range h.Steps {
				want := 0
				if i == 1 {
					want = n
				}
				least, most := int64(want), int64(want+c.head)
				near := s.Ways[ledger.WithinNode]
				if i > 0 && (near < least || near > most || want == 0 && near > 0) {
					t.Errorf("%s of %d bytes: %d bytes between ranks in superstep %d, want %d to %d", name, n, near, s.First, least, most)
				}
				if s.Ways[ledger.WithinSet] != 0 || s.Ways[ledger.BetweenSets] != 0 {
					t.Errorf("%s: %v between nodes, of which there is one", name, s.Ways)
				}
			}
			if h.Steps[1].Talks != 1 || h.Steps[2].Talks != 0 {
				t.Errorf("%s: something left a rank in %d and %d of supersteps 2 and 3", name, h.Steps[1].Talks, h.Steps[2].Talks)
			}
		}
	}
}

// All processes measure the same, and none of the figures is negative.
func TestMeasuring(t *testing.T) {
	for range 3 {
		bsptest.Run(t, 4, func(b *bsplib.Proc, _ *struct{}) error {
			m := bsplib.MeasureOn(b, ledger.WithinNode)
			all := bsplib.Allgather(b, []float64{m.L, m.Latency, m.Classes[0].PerByte})
			for pid, x := range all {
				if !slices.Equal(x, all[0]) || x[0] <= 0 || x[1] < 0 || x[2] < 0 || len(m.Classes) != 1 {
					return fmt.Errorf("process %d measures %v, process 0 %v", pid, x, all[0])
				}
			}
			return nil
		})
	}
}

// Over a line that is slow a figure is of fewer supersteps, or of one, so that measuring ends; and
// it takes a part of what is left, so that there is some for the others.
func TestMeasuringEnds(t *testing.T) {
	const within = 100 * time.Millisecond
	for _, step := range []time.Duration{time.Millisecond, 20 * time.Millisecond} {
		bsptest.Run(t, 2, func(b *bsplib.Proc, _ *struct{}) error {
			steps := 0
			took, left := bsplib.Typical(b, within, func() {
				steps++
				time.Sleep(step)
			})
			if most := 2 + int(within/(4*step)); steps > most || left > within-time.Duration(steps)*step {
				return fmt.Errorf("process %d: %d supersteps of %v, at most %d wanted; %v left of %v", b.Pid(), steps, took, most, left, within)
			}
			_, left = bsplib.Typical(b, -time.Second, func() { steps++ })
			if left > 0 {
				return fmt.Errorf("process %d: %v left of nothing", b.Pid(), left)
			}
			return nil
		})
	}
}
