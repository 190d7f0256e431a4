package rebalancer

import (
	"math"
	"testing"
)

// loaded is a view of ranks with a process each that takes so many seconds there, and
// another of 10 s on rank 0.
func loaded(call int, learned *Learned, seconds ...float64) View {
	p := Uniform(len(seconds), Link{})
	v := View{Platform: &p, Snapshot: &Snapshot{Ranks: statesOf(len(seconds), RankState{})}, Learned: learned, Call: call}
	add := func(rank int, work float64) {
		v.Where = append(v.Where, int32(rank))
		v.Snapshot.Processes = append(v.Snapshot.Processes, Process{Pid: len(v.Snapshot.Processes), Rank: rank, Work: work, Time: work, Best: Potential{Set: -1}})
	}
	for rank, work := range seconds {
		v.Rates = append(v.Rates, 1)
		add(rank, work)
	}
	add(0, 10)
	return v
}

// A rank decides by what it was told last, even if that is no longer so, and is told of
// some ranks at each call.
func TestPredictByStaleLoads(t *testing.T) {
	s := pubPredict{told: 1, least: 1, seed: 1}
	learned := &Learned{Trust: 1}
	stale := 0
	for call := 1; call <= 40; call++ {
		v := loaded(call, learned, 1, float64(call), 2, 3)
		known := s.known(v)
		learned.Loads = s.remember(v)
		for rank := range known {
			if len(known[rank]) > 3 || call == 1 && len(known[rank]) > 4 {
				t.Fatalf("call %d: rank %d knows %v", call, rank, known[rank])
			}
			for _, k := range known[rank] {
				switch {
				case k.rank == rank:
					t.Fatalf("call %d: rank %d was told by itself", call, rank)
				case k.rank != 1 && k.time != []float64{11, 0, 2, 3}[k.rank]:
					t.Fatalf("call %d: rank %d knows %+v", call, rank, k)
				case k.rank == 1 && (k.time > float64(call) || k.time != math.Trunc(k.time)):
					t.Fatalf("call %d: rank %d knows %+v", call, rank, k)
				case k.rank == 1 && k.time < float64(call):
					stale++
				}
			}
		}
	}
	if stale < 20 {
		t.Errorf("%d figures were old", stale)
	}
	if len(learned.Loads) != 40 || len(s.remember(loaded(41, &Learned{Loads: make([][]float32, mostTold)}, 1, 2))) != mostTold {
		t.Errorf("%d calls are remembered", len(learned.Loads))
	}
}
