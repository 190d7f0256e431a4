package rebalancer

import (
	"math/rand/v2"
	"testing"
)

func TestBoundNamesTheProcessToSplit(t *testing.T) {
	tests := []struct {
		name  string
		work  [][]float32
		where []int32
		want  int
	}{
		{"reached", [][]float32{{1}, {4}, {1}}, []int32{0, 1, 0}, 1},
		{"within reach", [][]float32{{1}, {4}, {1}}, []int32{0, 1, 1}, 1},
		{"share is the limit", repeat(6, 1), []int32{0, 0, 0, 1, 1, 1}, -1},
		{"out of reach", [][]float32{{4}, {3}, {1.1}, {0.5}}, []int32{0, 1, 1, 1}, -1},
		{"longest more often", [][]float32{{5, 0, 5}, {0, 6, 0}}, []int32{0, 1}, 0},
	}
	for _, test := range tests {
		v := plainView(test.work, test.where, []float64{1, 1})
		if got := boundOf(v).Split; got != test.want {
			t.Errorf("%s: split %d, want %d", test.name, got, test.want)
		}
	}
	p := Uniform(2, Link{})
	if b := boundOf(View{Platform: &p, Snapshot: &Snapshot{}, Rates: []float64{1, 1}}); b != (Bound{Split: -1}) {
		t.Errorf("nothing: %+v", b)
	}
}

func TestNoMappingBeatsTheBound(t *testing.T) {
	for seed := range uint64(30) {
		c := autoCase{pids: 12, ranks: 3, phases: 4, unequal: true, drained: seed%3 == 0}
		v := c.view(rand.New(rand.NewPCG(seed, 21)))
		least := boundOf(v).Least
		v.Where = costMoved(v.Where, chooseAuto(v, 0))
		m := newCostModel(v)
		if got := m.compute(v.Where); got < least*(1-1e-9) {
			t.Errorf("seed %d: a superstep computes %.6f, the bound is %.6f", seed, got, least)
		}
	}
}
