package meter

import (
	"math"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestFit(t *testing.T) {
	h := []float64{0, 1, 10, 100}
	if got, off := Fit(h, []float64{2, 5, 32, 302}); math.Abs(got.L-2) > 1e-9 || math.Abs(got.G-3) > 1e-9 || off > 1e-9 || got.GError > 1e-9 || got.LError > 1e-9 {
		t.Errorf("exact line: %+v, off %g", got, off)
	}
	// A long time that is off by much must not make L negative.
	if got, off := Fit(h, []float64{2, 5, 32, 380}); math.Abs(got.L-2) > 0.5 || math.Abs(got.G-3) > 0.8 || !(off > 0.01) || !(got.GError > 0.01) || !(got.LError > 0.01) {
		t.Errorf("long time off: %+v, off %g", got, off)
	}
}

// Every process gets process 0's times, of all steps that it is told to make.
func TestTime(t *testing.T) {
	const least = 100 * time.Microsecond
	must.Do(t, bsplib.Run(bsplib.Config{Procs: 3}, func(p *bsplib.Proc, _ *struct{}) error {
		made := 0
		got := Time(p, 0.01, func(steps int) {
			for range steps {
				for begin := p.Time(); p.Time()-begin < least; {
				}
				made++
				p.Sync()
			}
		})
		if made < minBatches || got.Min < least.Seconds() || got.Median < got.Min || got.Median > 1 {
			t.Errorf("process %d: %+v, %d steps", p.Pid(), got, made)
		}
		both := []float64{got.Min, got.Median}
		bsplib.Broadcast(p, 0, both)
		if both[0] != got.Min || both[1] != got.Median {
			t.Errorf("process %d: %+v, process 0 %v", p.Pid(), got, both)
		}
		return nil
	}))
}

// All processes get as many words as they put, up to rounding, and none from themselves
// but where they are alone.
func TestRelation(t *testing.T) {
	for _, procs := range []int{1, 2, 3, 7} {
		const h = 25
		must.Do(t, bsplib.Run(bsplib.Config{Procs: procs}, func(p *bsplib.Proc, _ *struct{}) error {
			area := bsplib.Alloc[float64](p, RelationWords(procs, h))
			values := make([]float64, h)
			for i := range values {
				values[i] = float64(p.Pid() + 1)
			}
			p.Sync()
			Relation(p, area, values, h)
			got := 0
			for i, from := range area.Slice() {
				if from != 0 {
					got++
				}
				if from != 0 && (int(from)-1 != i%procs || procs > 1 && int(from)-1 == p.Pid()) {
					t.Errorf("%d processes: process %d has a word of %g in place %d", procs, p.Pid(), from-1, i)
				}
			}
			if math.Abs(float64(got-h)) > float64(procs) {
				t.Errorf("%d processes: process %d got %d words, want %d", procs, p.Pid(), got, h)
			}
			return nil
		}))
	}
}
