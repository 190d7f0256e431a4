package probe

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Unchanged links of an earlier run are used; changed and unknown links are measured.
func TestKnownWays(t *testing.T) {
	const usual = 2e-6
	at := time.Unix(1e9, 0)
	for _, c := range []struct {
		name    string
		latency [3]float64 // of the links between Sets 0 and 1, 0 and 2, and 1 and 2
		changed bool
	}{
		{"all as they were", [3]float64{usual, usual, usual}, false},
		{"one is much quicker", [3]float64{usual, 0.5, usual}, true},
		{"one is not known", [3]float64{usual, usual, 0}, false},
		{"none is known", [3]float64{}, false},
	} {
		known := func() [][]Way {
			w := func(i int) Way { return Way{Latency: c.latency[i], PerByte: c.latency[i] / 1000} }
			return [][]Way{{{}, w(0), w(1)}, {w(0), {}, w(2)}, {w(1), w(2), {}}}
		}
		all, failures := calibrated(3, func(int) Plan { return Plan{Known: known(), KnownLines: []float64{1, 2, 3}, KnownAt: at} })
		must.Do(t, errors.Join(failures...))
		for rank, got := range all {
			if got.Changed != c.changed || !got.At.Equal(at) || slices.Equal(got.Lines(), []float64{1, 2, 3}) == c.changed {
				t.Errorf("%s: rank %d: changed %v, lines %v, measured at %v", c.name, rank, got.Changed, got.Lines(), got.At)
			}
			if !reflect.DeepEqual(got.Links(), all[0].Links()) {
				t.Errorf("%s: rank %d has %v, rank 0 %v", c.name, rank, got.Links(), all[0].Links())
			}
			for i, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
				way, was := got.Links()[pair[0]][pair[1]], known()[pair[0]][pair[1]]
				if reused := c.latency[i] == usual; !way.Measured() || way.Latency > 0.2 || reused != (way == was) {
					t.Errorf("%s: rank %d, way %v: %+v, known %+v", c.name, rank, pair, way, was)
				}
			}
		}
	}
}

// Before a run a link takes a few trips only, if its bytes take longer than the budget.
func TestMeasuringIsBounded(t *testing.T) {
	far := Way{Latency: 0.02, PerByte: 4e-7}
	ways, took := measuredOn(t, []int{0, 1}, []int{0, 1}, usualBudget, modelled{ways: func(int, int) Way { return far }, asks: 64 << 10, bounded: true})
	if got := ways[0][1]; got.Latency < 0.9*far.Latency || got.Latency > 1.1*far.Latency || got.PerByte != 0 || took > 150*time.Millisecond {
		t.Errorf("%+v in %v", got, took)
	}
	near := Way{Latency: 1e-4, PerByte: 2e-8} // 400 Mb/s
	ways, took = measuredOn(t, []int{0, 1}, []int{0, 1}, usualBudget, modelled{ways: func(int, int) Way { return near }, bounded: true})
	if got := ways[0][1]; got.PerByte < 0.8*near.PerByte || got.PerByte > 1.2*near.PerByte || took > 2*usualBudget {
		t.Errorf("%+v in %v", got, took)
	}
}
