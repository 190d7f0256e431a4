package rebalancer

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/rebalancer/internal/params"
)

// What moves twice in a call moves once, and what comes back does not move.
func TestMovesAreComposed(t *testing.T) {
	before := View{Where: []int32{0, 0, 1}}
	moves := composed(before, []Move{
		{Pid: 0, From: 0, To: 1, Bytes: 5, Reason: "first"}, {Pid: 1, From: 0, To: 2}, {Pid: 2, From: 1, To: 0},
		{Pid: 0, From: 1, To: 2, Bytes: 5, Reason: "second"}, {Pid: 1, From: 2, To: 0},
	})
	want := []Move{{Pid: 0, From: 0, To: 2, Bytes: 5, Reason: "first"}, {Pid: 2, From: 1, To: 0}}
	if !reflect.DeepEqual(moves, want) {
		t.Errorf("%+v, want %+v", moves, want)
	}
}

// Of several verdicts on a process the one that moves it counts, or the first.
func TestOneVerdictForEachProcess(t *testing.T) {
	got := decisive([]Verdict{
		{Pid: 2, Rule: "first"}, {Pid: 1, Rule: "refused"}, {Pid: 1, Rule: "moves", Moves: true}, {Pid: 2, Rule: "later"},
		{Pid: 0, Rule: "leaves", Moves: true}, {Pid: 0, Rule: "not chosen"},
	})
	var rules []string
	for _, v := range got {
		rules = append(rules, v.Rule)
	}
	if s := strings.Join(rules, ", "); s != "leaves, moves, first" {
		t.Error(s)
	}
}

// A rank's processor is shared as measured; where nothing was, it is the run's.
func TestAvailable(t *testing.T) {
	s := &Snapshot{Ranks: []RankState{{Available: 0.5}, {Available: 1}, {Available: 0}, {Available: math.NaN()}}}
	want := []float64{0.5, 1, 1, 1}
	if got := available(&Platform{}, s); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Where supersteps were done sooner than quotas grant, rates are higher by as much, up to those
// while quotas last; else they are what quotas grant.
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

// The next call is as far away as its cost demands, in supersteps that the run
// takes time for.
func TestAffordable(t *testing.T) {
	for _, c := range []struct {
		ranks []RankState
		want  float64 // share of the time until the next call, at most
	}{
		{[]RankState{{Called: 0.1, Elapsed: 8, Steps: 4}, {Called: 0.3, Elapsed: 4, Steps: 4}}, params.Default.Due.CallShare},
		{[]RankState{{Called: 0.001, Elapsed: 1e-3, Steps: 100}}, params.Default.Due.CallShare},
	} {
		n := affordable(costCall(c.ranks), c.ranks, Forecast{}, params.Default.Due.CallShare)
		longest := 0.0
		for _, r := range c.ranks {
			longest = max(longest, r.Elapsed/float64(r.Steps))
		}
		called := max(c.ranks[0].Called, c.ranks[len(c.ranks)-1].Called)
		if share := called / (float64(n) * longest); share > c.want*(1+1e-9) || called/(float64(n-1)*longest) <= c.want {
			t.Errorf("%+v: %d supersteps, share %g", c.ranks, n, share)
		}
	}
	if n := affordable(5, []RankState{{}}, Forecast{}, params.Default.Due.CallShare); n != 0 {
		t.Errorf("%d supersteps though none were measured", n)
	}
	slow := Forecast{Horizon: 10, After: 50}
	if n := affordable(0.1, []RankState{{Elapsed: 1, Steps: 1}}, slow, 0.01); n != 2 {
		t.Errorf("%d supersteps, though 2 of those to come are 100 times as long as the call", n)
	}
}
