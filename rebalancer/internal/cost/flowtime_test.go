package cost

import (
	"math/rand/v2"
	"testing"

	"github.com/migbsp/migbsp/rebalancer/platform"
)

func TestMeterIsPlatformTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	p := threeSets(7)
	for rank, host := range []string{"a", "a", "", "b", "b", "b", ""} {
		p.Ranks[rank].Host = host
	}
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

// largest returns the index of the first of the largest values except a and b, or -1.
func largest(values []float64, a, b int) int {
	best := -1
	for i, x := range values {
		if i != a && i != b && (best < 0 || x > values[best]) {
			best = i
		}
	}
	return best
}

// Ranks of a host share its link, except for traffic within the host. Each rank is also limited
// to the link's rate for sending and for receiving.
func TestRanksOfAHostShareItsLink(t *testing.T) {
	const latency, perByte = 1e-3, 1e-6
	type bytes struct{ from, to int }
	for _, c := range []struct {
		name string
		sent []bytes // a second each
		want float64
	}{
		{"one message", []bytes{{0, 2}}, 1},
		{"two ranks of a host send", []bytes{{0, 2}, {1, 4}}, 2},
		{"two ranks of a host receive", []bytes{{4, 0}, {2, 1}}, 2},
		{"there and back", []bytes{{0, 2}, {3, 1}}, 1},
		{"hosts without a name are none", []bytes{{4, 2}, {5, 0}}, 1},
		{"on one host", []bytes{{0, 1}}, 1},
		{"beside what stays", []bytes{{0, 1}, {1, 2}}, 1},
		{"from both hosts", []bytes{{0, 4}, {1, 5}, {2, 4}}, 2},
	} {
		p := platform.Uniform(6, platform.Link{Latency: latency, PerByte: perByte})
		for rank, host := range []string{"a", "a", "b", "b", "", ""} {
			p.Ranks[rank].Host = host
		}
		flow := p.NewFlow()
		for _, x := range c.sent {
			p.Add(&flow, x.from, x.to, 1e6)
		}
		if got := p.Time(&flow); got != c.want+latency {
			t.Errorf("%s: %g s, want %g", c.name, got, c.want+latency)
		}
	}
}

// If ranks without processes leave, the barrier overlaps with messages.
func TestMessagesTravelWhileRanksMeet(t *testing.T) {
	for _, c := range []struct {
		leave                 bool
		bytes                 int64
		barrier, sends, waits float64
	}{{true, 1000, 3, 2, 4}, {true, 1000, 0.5, 2, 0}, {true, 0, 3, 0, 6}, {false, 1000, 3, 2, 6}} {
		p := platform.Uniform(2, platform.Link{PerByte: 1e-3})
		p.Ranks[0].Host, p.Ranks[1].Host, p.Leave, p.Barrier = "a", "b", c.leave, c.barrier
		m := Model{Platform: &p, Exchange: 2, Partners: [][]platform.Traffic{{{Pid: 1, Bytes: c.bytes}}, nil}}
		if sends, waits := m.Exchanges([]int32{0, 1}); sends != c.sends || waits != c.waits {
			t.Errorf("%+v: messages take %g s and barriers %g", c, sends, waits)
		}
	}
}
