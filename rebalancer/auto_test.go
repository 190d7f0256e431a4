package rebalancer

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// plainView returns an instance of processes with given work by phase, on ranks with given rates in one
// Set.
func plainView(work [][]float32, where []int32, rates []float64) View {
	p := Uniform(len(rates), Link{Latency: 1e-4, PerByte: 1e-8})
	s := &Snapshot{Step: 50, Ranks: rankStates(len(rates))}
	for r, rate := range rates {
		p.Ranks[r].Speed = rate
	}
	for pid, phases := range work {
		q := Process{Pid: pid, Rank: int(where[pid]), State: 1000, Request: -1, RecentWork: phases}
		for _, x := range phases {
			q.Work += float64(x) / float64(len(phases))
		}
		q.Time = q.Work / rates[where[pid]]
		s.Processes = append(s.Processes, q)
	}
	s.Classes = make([]int, len(work[0]))
	return View{Platform: &p, Snapshot: s, Where: where, Rates: rates, Learned: &Learned{Trust: 1, Speeds: slices.Clone(rates), Available: slices.Repeat([]float64{1}, len(rates))}, Call: 1}
}

// repeat returns n rows of the same work by phase.
func repeat(n int, phases ...float32) [][]float32 {
	work := make([][]float32, n)
	for pid := range work {
		work[pid] = phases
	}
	return work
}

// cyclic maps n processes to ranks cyclically.
func cyclic(n, ranks int) []int32 {
	where := make([]int32, n)
	for pid := range where {
		where[pid] = int32(pid % ranks)
	}
	return where
}

func TestAutoChangesNothingItIsGiven(t *testing.T) {
	c := autoCase{pids: 60, ranks: 30, phases: 4, unequal: true, talk: 1, sets: 2, state: 1_000_000}
	v, same := c.view(rand.New(rand.NewPCG(5, 5))), c.view(rand.New(rand.NewPCG(5, 5)))
	if len(chooseAuto(v, 0)) == 0 {
		t.Fatal("nothing moves")
	}
	if !reflect.DeepEqual(v, same) {
		t.Error("Choose changed its view")
	}
}
