package cost

import (
	"math/rand/v2"
	"testing"

	"github.com/migbsp/migbsp/rebalancer/platform"
)

func TestMeterIsPlatformTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	p := threeSets(7)
	meter, flow := NewFlowTime(p), p.NewFlow()
	type traffic struct {
		from, to int
		bytes    int64
	}
	var sent []traffic
	for range 500 {
		x := traffic{rng.IntN(7), rng.IntN(7), rng.Int64N(1000)}
		if len(sent) > 0 && rng.IntN(2) == 0 {
			x = sent[len(sent)-1]
			sent = sent[:len(sent)-1]
			x.bytes = -x.bytes
		} else {
			sent = append(sent, x)
		}
		meter.Add(x.from, x.to, x.bytes)
		p.Add(&flow, x.from, x.to, x.bytes)
		if got, want := meter.Time(), p.Time(&flow); got != want {
			t.Fatalf("%g, want %g", got, want)
		}
	}
}

// threeSets is a platform of three Sets, between which links are slower.
func threeSets(ranks int) *platform.Platform {
	near, far := platform.Link{Latency: 1e-4, PerByte: 1e-8}, platform.Link{Latency: 1e-3, PerByte: 4e-8}
	p := platform.Uniform(ranks, near)
	p.Sets = make([]platform.Set, 3)
	p.Links = [][]platform.Link{{near, far, far}, {far, near, far}, {far, far, near}}
	for r := range p.Ranks {
		p.Ranks[r].Set = r * len(p.Sets) / ranks
	}
	return &p
}

func TestMaxTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	for _, n := range []int{1, 2, 3, 5, 8, 13} {
		peaks, values := NewMaxTree(n), make([]float64, n)
		for range 300 {
			i := rng.IntN(n)
			values[i] = float64(rng.IntN(6))
			peaks.Set(i, values[i])
			a, b := rng.IntN(n), rng.IntN(n)
			if got, want := peaks.First(), largest(values, -1, -1); got != want {
				t.Fatalf("n %d: first of %v is %d, want %d", n, values, got, want)
			}
			want := 0.0
			if beside := largest(values, a, b); beside >= 0 {
				want = values[beside]
			}
			if got := peaks.Beside(a, b); got != want {
				t.Fatalf("n %d: beside %d and %d in %v is %g, want %g", n, a, b, values, got, want)
			}
		}
	}
}

// largest is the first of the largest values but two, -1 if there is none.
func largest(values []float64, a, b int) int {
	best := -1
	for i, x := range values {
		if i != a && i != b && (best < 0 || x > values[best]) {
			best = i
		}
	}
	return best
}
