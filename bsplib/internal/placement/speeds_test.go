package placement

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/rebalancer"
)

// hosts returns a platform of one rank on each host, with shares of a core.
func hosts(shares ...float64) *rebalancer.Platform {
	p := rebalancer.Uniform(len(shares), rebalancer.Link{})
	for rank, share := range shares {
		p.Ranks[rank].Host, p.Ranks[rank].Cores = string(rune('a'+rank)), share
	}
	return &p
}

func counts(where []int32, ranks int) []int {
	n := make([]int, ranks)
	for _, rank := range where {
		n[rank]++
	}
	return n
}

func TestBySpeeds(t *testing.T) {
	for _, c := range []struct {
		name   string
		procs  int
		shares []float64
		want   []int
		why    string
	}{
		{"in proportion", 16, []float64{0.6, 0.2}, []int{12, 4}, "by speeds: 12 processes on a, 4 on b"},
		{"the last rank less than half a process", 4, []float64{1, 1, 0.2}, []int{2, 2, 0}, "by speeds: 2 processes on a, 2 on b"},
		{"one process", 1, []float64{0.1, 0.4}, []int{0, 1}, "by speeds: 1 process on b"},
		{"fewer processes than half of the ranks", 1, []float64{0.2, 0.2, 0.5, 0.2, 0.2}, []int{0, 0, 1, 0, 0}, "by speeds: 1 process on c"},
		{"equal", 10, []float64{0.25, 0.25, 0.25, 0.25}, []int{2, 3, 2, 3}, Blocks},
		{"many hosts", 18, []float64{.5, .5, .5, .5, .5, .5, .5, .5, 1}, []int{2, 2, 2, 2, 2, 2, 2, 1, 3},
			"by speeds: 2 processes on a, 2 on b, 2 on c, 2 on d, 2 on e, 2 on f, 6 on 3 more hosts"},
	} {
		got := (&Machine{Platform: hosts(c.shares...)}).BySpeeds(c.procs)
		if n := counts(got.Where, len(c.shares)); !slices.Equal(n, c.want) || got.Why != c.why || !slices.IsSorted(got.Where) {
			t.Errorf("%s: %v, %q, want %v, %q", c.name, n, got.Why, c.want, c.why)
		}
	}
}

// Capacities within the error of measured speeds are equal, and ranks of a host share its cores.
func TestCapacities(t *testing.T) {
	p := hosts(1, 1, 1)
	p.Ranks[1].Speed = 0.95
	if Even(p) {
		t.Error("declared speeds of 1 and 0.95 are equal")
	}
	if p.SpeedError = 0.08; !Even(p) {
		t.Error("measured speeds of 1 and 0.95 are not equal")
	}
	p = hosts(1.5, 1.5, 3)
	p.Ranks[1].Host = "a"
	if got, want := Capacities(p), []float64{0.75, 0.75, 1}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Of all blocks those by speeds take the least time, as trying all divisions shows.
func TestBySpeedsIsBest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		capacity := make([]float64, 2+random.IntN(3))
		for rank := range capacity {
			capacity[rank] = 0.05 + random.Float64()
		}
		procs := 1 + random.IntN(9)
		where := proportional(procs, capacity)
		if len(where) != procs || !slices.IsSorted(where) {
			t.Fatalf("%d processes on %v: %v", procs, capacity, where)
		}
		share := 0.0
		for _, c := range capacity {
			share += c
		}
		all, least := slowest(counts(where, len(capacity)), capacity), math.Inf(1)
		divide(procs, len(capacity), func(n []int) {
			for rank := range n {
				if n[rank] > 0 && capacity[rank]*float64(procs) < share/2 {
					return
				}
			}
			least = min(least, slowest(n, capacity))
		})
		if all > least*(1+1e-9) {
			t.Fatalf("%d processes on %v: %v takes %g, the best blocks %g", procs, capacity, where, all, least)
		}
	}
}

func slowest(n []int, capacity []float64) (longest float64) {
	for rank := range n {
		longest = max(longest, float64(n[rank])/capacity[rank])
	}
	return longest
}

// divide calls f with all divisions of a number of processes among ranks.
func divide(procs, ranks int, f func(n []int)) {
	n := make([]int, ranks)
	var next func(rank, left int)
	next = func(rank, left int) {
		if rank == ranks-1 {
			n[rank] = left
			f(n)
			return
		}
		for n[rank] = 0; n[rank] <= left; n[rank]++ {
			next(rank+1, left-n[rank])
		}
		n[rank] = 0
	}
	next(0, procs)
}

func TestFor(t *testing.T) {
	parse := func(text string) *rebalancer.Spec {
		spec, err := rebalancer.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return &spec
	}
	for _, c := range []struct {
		start    string
		strategy *rebalancer.Spec
		want     string
	}{
		{"", nil, Auto}, {"", parse("off"), Auto}, {"", parse("auto"), Auto}, {"", parse("auto,guard=0"), Auto},
		{"", parse("automig"), Blocks}, {"", parse("percent,guard=0"), Blocks},
		{Speeds, parse("percent"), Speeds}, {Blocks, parse("auto"), Blocks}, {"m.csv", nil, "m.csv"},
	} {
		if got := (&Request{How: c.start}).For(c.strategy); got != c.want {
			t.Errorf("%q with %v: %q, want %q", c.start, c.strategy, got, c.want)
		}
	}
}

// Process 0 of a program that has begun it stays on rank 0.
func TestAnchor(t *testing.T) {
	s := (&Machine{Platform: hosts(0.01, 1, 1), Anchored: true}).BySpeeds(3)
	if !slices.Equal(s.Where, []int32{0, 1, 2}) && !slices.Equal(s.Where, []int32{0, 2, 2}) {
		t.Errorf("%v", s.Where)
	}
	if equal := Equal(4, 2); !slices.Equal(equal.Where, hostfile.Blocks(4, 2)) || !strings.Contains(equal.Why, Blocks) {
		t.Errorf("%v", equal)
	}
}
