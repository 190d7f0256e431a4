package rebalancer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

func TestForecastByHand(t *testing.T) {
	work := [][]float32{{2, 0}, {0, 2}, {1, 1}}
	v := plainView(work, []int32{0, 0, 1}, []float64{1, 2})
	v.Platform.Barrier = 0.25
	v.Snapshot.Ranks[0].Called = 0.5
	v.Snapshot.Ranks[1].Remaining = 10
	v.Snapshot.Processes[2].Partners = []Traffic{{Pid: 0, Bytes: 1_000_000}, {Pid: 2, Bytes: 5}, {Pid: 99, Bytes: 5}}
	f := forecastOf(v, []Move{{Pid: 0, From: 0, To: 1, Bytes: 1000}})
	talk := 1e-4 + 1e6*1e-8
	before := 10 * (2 + talk + 0.25)      // rank 0 takes 2 in both columns
	after := 10 * ((1.5+2.0)/2 + 0.25)    // rank 1 takes (2+1)/2 and has both that talk, then rank 0 takes 2
	cost := 1000*1e-8 + 1e-4 + 1e-4 + 0.5 // bytes, latency, wait of the move, call
	want := Forecast{Horizon: 10, Before: before, After: after, Cost: cost}
	if !near(f.Before, want.Before) || !near(f.After, want.After) || !near(f.Cost, want.Cost) || f.Horizon != 10 {
		t.Errorf("%+v, want %+v", f, want)
	}
}

func TestTransfersShareLinks(t *testing.T) {
	p := autoCase{ranks: 4, sets: 2, phases: 1}.platform(rand.New(rand.NewPCG(1, 1)))
	one := cost.Moving(p, []Move{{Pid: 0, From: 0, To: 1, Bytes: 1e8}}, 0)
	apart := cost.Moving(p, []Move{{Pid: 0, From: 0, To: 1, Bytes: 1e8}, {Pid: 1, From: 2, To: 3, Bytes: 1e8}}, 0)
	same := cost.Moving(p, []Move{{Pid: 0, From: 0, To: 1, Bytes: 1e8}, {Pid: 1, From: 0, To: 1, Bytes: 1e8}}, 0)
	across := cost.Moving(p, []Move{{Pid: 0, From: 0, To: 2, Bytes: 1e8}, {Pid: 1, From: 1, To: 3, Bytes: 1e8}}, 0)
	if !near(apart, one) || !near(same, one+1+1e-4) || !near(across, 8+2e-3) {
		t.Errorf("one %.4f, apart %.4f, same %.4f, across %.4f", one, apart, same, across)
	}
}
