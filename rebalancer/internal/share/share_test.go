package share

import (
	"math/rand/v2"
	"testing"
)

// After the flows each Set can be done in the time of all work shared out evenly, as closely as
// classes allow; nothing goes that is not there, and nothing both comes to a Set and leaves it.
func TestOut(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		sets := make([]Set, 2+random.IntN(20))
		largest := 0.0
		for i := range sets {
			s := &sets[i]
			s.Rate, s.Fastest = 100*(0.5+random.Float64()), 1e6
			for class := range 1 + random.IntN(8) {
				work := 0.01 * (1 + random.Float64())
				count := 1000 + random.IntN(3000)
				s.Classes = append(s.Classes, Class{Size: class, Partner: random.IntN(len(sets)+1) - 1, Count: count, Work: work * float64(count), Bytes: float64(count)})
				s.Work += work * float64(count)
				largest = max(largest, work)
			}
		}
		if seed%5 == 0 {
			sets[0].Rate, sets[0].Fastest = 0, 0 // all must leave
		}
		even := Time(sets)
		gone := make(map[[2]int]int)
		gives, takes := make(map[int]bool), make(map[int]bool)
		after := append([]Set(nil), sets...)
		for _, f := range Out(sets, func(from, to int) float64 { return float64((from - to) * (from - to)) }) {
			class := sets[f.From].Classes[f.Class]
			gone[[2]int{f.From, f.Class}] += f.Count
			if f.From == f.To || f.Count <= 0 || gone[[2]int{f.From, f.Class}] > class.Count {
				t.Fatalf("seed %d: %+v of %+v", seed, f, class)
			}
			work := class.Work / float64(class.Count) * float64(f.Count)
			after[f.From].Work -= work
			after[f.To].Work += work
			gives[f.From], takes[f.To] = true, true
		}
		for i, s := range after {
			if gives[i] && takes[i] {
				t.Errorf("seed %d: Set %d gives and takes", seed, i)
			}
			// What is left is less than a process for each Set that could take it.
			if over := s.Work - even*s.Rate*(1+Even); over > largest*float64(len(sets)) {
				t.Errorf("seed %d: Set %d has %v more work than its part of %v", seed, i, over, even*s.Rate)
			}
		}
	}
}

// Those go first that hear most from where they go, and none that one host there could not do.
func TestWhoGoes(t *testing.T) {
	sets := []Set{
		{Work: 30, Rate: 10, Fastest: 1, Classes: []Class{
			{Size: 1, Partner: 0, Count: 10, Work: 10, Bytes: 10}, {Size: 2, Partner: 1, Count: 10, Work: 10, Bytes: 10},
			{Size: 3, Partner: -1, Count: 1, Work: 10, Bytes: 1},
		}},
		{Work: 10, Rate: 10, Fastest: 1},
	}
	flows := Out(sets, func(int, int) float64 { return 1 })
	if len(flows) != 1 || flows[0] != (Flow{From: 0, To: 1, Class: 1, Count: 10}) {
		t.Errorf("%+v, want the ten that hear from Set 1", flows)
	}
	sets[0].Work, sets[1].Work = 20, 20
	if flows := Out(sets, func(int, int) float64 { return 1 }); flows != nil {
		t.Errorf("%+v between Sets that are even", flows)
	}
	if SizeOf(1) == SizeOf(1.2) || SizeOf(1) != SizeOf(1.1) || SizeOf(0) == SizeOf(1e-300) {
		t.Error("sizes are not 19 % apart")
	}
}
