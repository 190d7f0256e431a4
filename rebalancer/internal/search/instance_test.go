package search

import (
	"testing"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
	"github.com/migbsp/migbsp/rebalancer/internal/params"
	"github.com/migbsp/migbsp/rebalancer/platform"
)

// instanceOf is an instance of processes with given work by column, all on the first of
// some ranks of speed 1.
func instanceOf(work [][]float32, ranks int) *Instance {
	p := platform.Uniform(ranks, platform.Link{Latency: 1e-4, PerByte: 1e-8})
	rates, n := make([]float64, ranks), len(work)
	in := &Instance{
		Work: work, Weights: make([]float64, len(work[0])), Horizon: 100, Trust: 1, Value: 100, Set: &params.Default.Search,
		Home: make([]int32, n), Pinned: make([]bool, n), State: make([]int64, n), Free: make([]int64, ranks), Usable: make([]bool, ranks),
	}
	for r := range rates {
		rates[r], in.Free[r], in.Usable[r] = 1, -1, true
	}
	for c := range in.Weights {
		in.Weights[c] = 1 / float64(len(in.Weights))
	}
	in.Cost = &cost.Model{Platform: &p, Rates: rates, Shared: cost.NewSharing(&p, rates, func(int) bool { return false })}
	return in
}

func TestPhasesJoinWhatIsAlike(t *testing.T) {
	tests := []struct {
		name string
		work [][]float32
		want int
	}{
		{"same", [][]float32{{1, 1, 1, 1}, {1, 1, 1, 1}}, 1},
		{"shrinking", [][]float32{{4, 3, 2, 1}, {4, 3, 2, 1}}, 1},
		{"turns", [][]float32{{1, 0, 1, 0}, {0, 1, 0, 1}}, 2},
		{"noise", [][]float32{{1, 1.02, 0.99, 1}, {1, 0.98, 1.01, 1.03}}, 1},
		{"one stands out", [][]float32{{1, 9}, {1, 1}}, 2},
		{"idle", [][]float32{{1, 0, 0}, {1, 0, 0}}, 2},
	}
	for _, test := range tests {
		if got := newInstance(instanceOf(test.work, 1)).phases; got != test.want {
			t.Errorf("%s: %d phases, want %d", test.name, got, test.want)
		}
	}
}

// Two processes of 3 and three of 2 on two equal ranks: no single move or swap of a list
// schedule evens them out, but 3+3 beside 2+2+2 does.
func TestChooseFindsTheBestPartition(t *testing.T) {
	in := instanceOf([][]float32{{3}, {3}, {2}, {2}, {2}}, 2)
	choice := Choose(in, 0.02, 1)
	load := [2]float32{12, 0}
	for _, move := range choice.Moves {
		load[0] -= in.Work[move.Pid][0]
		load[1] += in.Work[move.Pid][0]
	}
	if load != [2]float32{6, 6} {
		t.Errorf("%v: loads %v, want 6 each", choice.Moves, load)
	}
}
