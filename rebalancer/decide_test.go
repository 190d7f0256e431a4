package rebalancer

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// shareOf returns the share that a rank reports.
func shareOf(r *RankState) float64 { return r.Available }

// A rank's share of its processor is the measured one, or 1 if none was measured.
func TestAvailable(t *testing.T) {
	s := &Snapshot{Ranks: []RankState{{Available: 0.5}, {Available: 1}, {Available: 0}, {Available: math.NaN()}}}
	want := []float64{0.5, 1, 1, 1}
	if got := available(&Platform{}, s, shareOf); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// If supersteps were shorter than quotas allow, rates are higher by the same factor, up to the rates
// while quotas last; otherwise they are the rates under the quotas.
func TestRatesAsSeen(t *testing.T) {
	spec := must.Get(Parse("auto"))(t)
	for _, c := range []struct {
		measured float64
		want     [2]float64
	}{
		{0.5, [2]float64{0.1, 0.8}}, {0.4, [2]float64{0.1, 0.8}}, {0.2, [2]float64{0.2, 1}}, {0.01, [2]float64{0.6, 1}},
	} {
		v := plainView(repeat(2, 0.04), []int32{0, 1}, []float64{1, 1})
		v.Snapshot.Ranks[0].Burst, v.Snapshot.Ranks[1].Burst = 0.6, 1
		for rank := range v.Snapshot.Ranks {
			v.Snapshot.Ranks[rank].Steps, v.Snapshot.Ranks[rank].Elapsed = 4, 4*c.measured
			v.Snapshot.Ranks[rank].Available = []float64{0.1, 0.8}[rank]
		}
		controller := New(*v.Platform, v.Where, spec)
		d := Decision{Learned: controller.last.Learned}
		v = controller.view(v.Snapshot, &d)
		if got := controller.ratesAsSeen(v); math.Abs(got[0]-c.want[0]) > 1e-6 || math.Abs(got[1]-c.want[1]) > 1e-6 {
			t.Errorf("%g s: %v, want %v", c.measured, got, c.want)
		}
	}
}

// A rank whose share varies is expected to keep the current share while forecasts are trusted, and
// otherwise the harmonic mean of its shares.
func TestUsualShares(t *testing.T) {
	spec := must.Get(Parse("auto"))(t)
	v := plainView(repeat(2, 1), []int32{0, 1}, []float64{1, 1})
	controller := New(*v.Platform, v.Where, spec)
	for call, share := range []float64{0.25, 1, 0.25, 1} {
		s := *v.Snapshot
		s.Step = 10 * (call + 1)
		s.Ranks = slices.Clone(s.Ranks)
		for rank := range s.Ranks {
			s.Ranks[rank].Steps, s.Ranks[rank].Elapsed, s.Ranks[rank].Available = 10, 10/share, 1
		}
		s.Ranks[0].Available = share
		d := controller.Decide(s)
		d.Moves = nil
		controller.Adopt(d)
	}
	for trust, want := range map[float64]float64{1: 1, 0.5: 1 / (0.5 + 0.5*2.5), 1.0 / 16: 1 / (1.0/16 + 15.0/16*2.5)} {
		learned := controller.last.Learned
		learned.Trust = trust
		v.Learned, v.Bank = &learned, learned.Bank
		if got := newForecastModel(v).Rates; math.Abs(got[0]-want) > 1e-6 || got[1] != 1 {
			t.Errorf("trusted to %g: %v, want %g and 1", trust, got, want)
		}
	}
}

// Snapshots list processes by pid, each on its rank; other snapshots are rejected.
func TestSnapshotsOfOtherRunsMoveNothing(t *testing.T) {
	spec := must.Get(Parse("auto,least=0"))(t)
	for name, c := range map[string]struct {
		change func(s *Snapshot)
		moves  bool
	}{
		"its own":        {func(*Snapshot) {}, true},
		"another order":  {func(s *Snapshot) { s.Processes[0], s.Processes[1] = s.Processes[1], s.Processes[0] }, false},
		"another place":  {func(s *Snapshot) { s.Processes[5].Rank = 1 }, false},
		"a process less": {func(s *Snapshot) { s.Processes = s.Processes[:7] }, false},
		"a rank less":    {func(s *Snapshot) { s.Ranks = s.Ranks[:1] }, false},
	} {
		v := plainView(repeat(8, 1), make([]int32, 8), []float64{1, 1})
		c.change(v.Snapshot)
		if d := New(*v.Platform, v.Where, spec).Decide(*v.Snapshot); len(d.Moves) > 0 != c.moves {
			t.Errorf("%s: %d moves (%s)", name, len(d.Moves), d.WhyNone)
		}
	}
}
