package placement

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/rebalancer"
)

// clusters returns a platform of Sets, each of hosts with the given shares of a core, and links
// within and between Sets.
func clusters(within, between rebalancer.Link, shares ...[]float64) *rebalancer.Platform {
	p := &rebalancer.Platform{Links: make([][]rebalancer.Link, len(shares))}
	for set, its := range shares {
		p.Sets = append(p.Sets, rebalancer.Set{Name: string(rune('A' + set)), Manager: len(p.Ranks)})
		for to := range shares {
			link := between
			if to == set {
				link = within
			}
			p.Links[set] = append(p.Links[set], link)
		}
		for _, share := range its {
			p.Ranks = append(p.Ranks, rebalancer.Rank{Host: string(rune('a' + len(p.Ranks))), Set: set, Speed: 1, Cores: share})
		}
	}
	return p
}

// ring returns the two neighbours of a process in a ring.
func ring(procs int) func(pid int) []int {
	return func(pid int) []int { return []int{(pid + 1) % procs, (pid + procs - 1) % procs} }
}

func TestByHints(t *testing.T) {
	fast, slow := rebalancer.Link{Latency: 50e-6, PerByte: 8e-9}, rebalancer.Link{Latency: 20e-3, PerByte: 400e-9}
	p := clusters(fast, slow, []float64{0.5, 0.5, 0.5}, []float64{1, 0.5})
	for _, c := range []struct {
		name string
		work Work
		free int64
		want string
	}{
		{"no messages", Work{Seconds: 100, Supersteps: 10}, 0, "by speeds: 3 processes on a, 3 on b, 3 on c, 5 on d, 2 on e"},
		{"many supersteps", Work{Seconds: 10, Supersteps: 1e6, Sent: 1e6, Partners: ring(16)}, 0, "by the program's hints: 16 processes on d"},
		{"messages to all", Work{Seconds: 0.1, Supersteps: 100, Sent: 1e9}, 0, "by the program's hints: 16 processes on d"},
		{"a cluster", Work{Seconds: 100, Supersteps: 10000, Sent: 1e6, Partners: ring(16)}, 0, "by the program's hints: 11 processes on d, 5 on e"},
		{"unequal work", Work{Seconds: 100, Supersteps: 10, Share: slices.Concat(slices.Repeat([]float64{1}, 12), slices.Repeat([]float64{6}, 4))}, 0,
			"by the program's hints: 6 processes on a, 6 on b, 1 on c, 2 on d, 1 on e"},
		{"no room on a host", Work{Seconds: 0.1, Supersteps: 100, Sent: 1e9}, 1 << 20, "by the program's hints: 11 processes on d, 5 on e"},
	} {
		free := slices.Repeat([]int64{c.free}, len(p.Ranks))
		got := (&Machine{Platform: p, Room: Room{1 << 20, free}}).ByHints(16, &c.work)
		if got.Why != c.want {
			t.Errorf("%s: %s, want %s", c.name, got.Why, c.want)
		}
	}
}

// No start on all ranks, on a Set or on a host takes less time, by a plain computation of the model.
func TestByHintsIsBest(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	log := func(least, most float64) float64 { return least * math.Pow(most/least, random.Float64()) }
	link := func() rebalancer.Link {
		return rebalancer.Link{Latency: log(1e-5, 3e-2), PerByte: log(1e-10, 1e-6)}
	}
	kinds := make(map[string]int)
	for range 400 {
		shares := make([][]float64, 1+random.IntN(3))
		for set := range shares {
			for range 1 + random.IntN(4) {
				shares[set] = append(shares[set], log(0.1, 1))
			}
		}
		p := clusters(link(), link(), shares...)
		procs := 2 + random.IntN(30)
		w := &Work{Seconds: log(0.01, 100), Supersteps: int(log(1, 1e4)), Sent: log(1, 1e9)}
		if random.IntN(2) == 0 {
			w.Partners = ring(procs)
		}
		got := (&Machine{Platform: p}).ByHints(procs, w)
		took := plainTime(got.Where, procs, p, w)
		for _, where := range candidates(procs, p) {
			if other := plainTime(where, procs, p, w); took > other*(1+1e-6)+1e-9*w.Sent {
				t.Fatalf("%+v, %+v: %v takes %g s, %v %g s", p, w, got.Where, took, where, other)
			}
		}
		kinds[strings.SplitN(got.Why, ":", 2)[0]]++
	}
	if kinds["by speeds"] < 20 || kinds["by the program's hints"] < 20 {
		t.Errorf("the cases do not differ: %v", kinds)
	}
}

// candidates returns a start by speeds on all ranks, on each Set and on each host.
func candidates(procs int, p *rebalancer.Platform) [][]int32 {
	all := [][]int32{(&Machine{Platform: p}).BySpeeds(procs).Where}
	add := func(in func(rank int) bool) {
		var ranks []int32
		var capacity []float64
		for rank := range p.Ranks {
			if in(rank) {
				ranks, capacity = append(ranks, int32(rank)), append(capacity, p.Ranks[rank].Cores)
			}
		}
		where := proportional(procs, capacity)
		for pid := range where {
			where[pid] = ranks[where[pid]]
		}
		all = append(all, where)
	}
	for set := range p.Sets {
		add(func(rank int) bool { return p.Ranks[rank].Set == set })
	}
	for host := range p.Ranks {
		add(func(rank int) bool { return rank == host })
	}
	return all
}

// plainTime is the model for one rank on each host, message by message.
func plainTime(where []int32, procs int, p *rebalancer.Platform, w *Work) float64 {
	work, sent, received := make([]float64, len(p.Ranks)), make([]float64, len(p.Ranks)), make([]float64, len(p.Ranks))
	between := make(map[[2]int]float64)
	latency := 0.0
	for pid, from := range where {
		work[from] += w.Seconds / float64(procs) / p.Ranks[from].Cores
		var partners []int
		if w.Partners != nil {
			partners = w.Partners(pid)
		} else {
			for to := range procs {
				if to != pid {
					partners = append(partners, to)
				}
			}
		}
		for to := range procs {
			if at := where[to]; at != from {
				latency = max(latency, p.Links[p.Ranks[from].Set][p.Ranks[at].Set].Latency)
			}
		}
		for _, to := range partners {
			at := where[to]
			if at == from {
				continue
			}
			bytes := w.Sent / float64(len(partners))
			sent[from] += bytes
			received[at] += bytes
			between[[2]int{p.Ranks[from].Set, p.Ranks[at].Set}] += bytes
		}
	}
	bytes := 0.0
	for rank := range p.Ranks {
		set := p.Ranks[rank].Set
		bytes = max(bytes, sent[rank]*p.Links[set][set].PerByte, received[rank]*p.Links[set][set].PerByte)
	}
	for sets, n := range between {
		if sets[0] != sets[1] {
			bytes = max(bytes, n*p.Links[sets[0]][sets[1]].PerByte)
		}
	}
	return slices.Max(work) + bytes + latency*float64(w.Supersteps)
}
