package loads

import (
	"testing"

	"github.com/migbsp/migbsp/bsplib/internal/clock"
)

// Traffic is recorded for a window's first supersteps, and then until every site has some.
func TestNeedsTraffic(t *testing.T) {
	const a, b = 1, 2
	const width = recordedSteps + 8
	r := NewRecorder(Settings{Procs: 1, StateBytes: func(int) int64 { return 0 }, Least: width}, clock.NewReal(nil), 1)
	samples := []*Sample{{}}
	for step := 1; step <= 2*width; step++ {
		in := (step-1)%width + 1 // number in its window
		want, site := in <= recordedSteps, int64(a)
		if in > recordedSteps+1 {
			site = b
		}
		want = want || in == recordedSteps+3 // after the first at b, which could not be foreseen
		if needs := r.NeedsTraffic(); needs != want {
			t.Errorf("superstep %d of a window needs traffic: %v", in, needs)
		}
		r.Take(step, site, samples, want)
	}
}
