package probe

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/mpi"
)

// Clusters that are far from each other are found, for any variation of trips within them. No
// groups are found if nodes are alike, or differ by a small factor or a short time.
func TestNearGroups(t *testing.T) {
	const us = float64(time.Microsecond)
	for _, c := range []struct {
		name     string
		clusters []int // by node
		near     float64
		far      float64
		want     []int
	}{
		{"one cluster", []int{0, 0, 0, 0, 0}, 60 * us, 0, nil},
		{"two clusters", []int{0, 0, 0, 1, 1}, 60 * us, 2000 * us, []int{0, 0, 0, 1, 1}},
		{"nodes in turns", []int{0, 1, 2, 0, 1, 2, 0}, 60 * us, 900 * us, []int{0, 1, 2, 0, 1, 2, 0}},
		{"one node of its own", []int{0, 0, 1}, 60 * us, 900 * us, []int{0, 0, 1}},
		{"two switches", []int{0, 0, 1, 1}, 60 * us, 120 * us, nil},
		{"two switches of a fast network", []int{0, 0, 1, 1}, 3 * us, 30 * us, nil},
	} {
		random := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			var trips []trip
			for a := range c.clusters {
				for b := range a {
					took := c.near
					if c.clusters[a] != c.clusters[b] {
						took = c.far
					}
					trips = append(trips, trip{b, a, time.Duration(took * (1 + random.Float64()))})
				}
			}
			got := nearGroups(len(c.clusters), trips)
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: groups %v, want %v", c.name, got, c.want)
			}
		}
	}
}

// clustered is a Comm with distant ranks, which answer late.
type clustered struct {
	mpi.Comm
	far func(rank int) bool
}

func (c clustered) Give(to int, on mpi.Channel, b []byte, copied bool) error {
	if c.far(to) != c.far(c.Rank()) {
		time.Sleep(2 * time.Millisecond)
	}
	return c.Comm.Give(to, on, b, copied)
}

func TestNear(t *testing.T) {
	for name, c := range map[string]struct {
		ranks, from int // ranks, and the first that is far away
		want        []int
	}{
		"two clusters": {8, 4, []int{0, 0, 0, 0, 1, 1, 1, 1}},
		"one cluster":  {8, 8, nil},
		"two nodes":    {4, 2, nil},
	} {
		all, failures := make([][]int, c.ranks), make([]error, c.ranks)
		var group sync.WaitGroup
		for rank, comm := range mpi.InProcess(c.ranks) {
			group.Go(func() {
				all[rank], failures[rank] = Near(Plan{
					Comm: clustered{nodes{comm, 2}, func(rank int) bool { return rank >= c.from }}, Hosts: make([]string, c.ranks),
					Silent: func(err error) { t.Error(err) },
				})
			})
		}
		group.Wait()
		must.Do(t, errors.Join(failures...))
		for rank, got := range all {
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: rank %d has found %v, want %v", name, rank, got, c.want)
			}
		}
	}
}

// timedRanks makes ranks measure on a Comm by their own clocks, and returns the time that each
// took.
func timedRanks(t *testing.T, ranks int, ways func(rank int) func(from, to int) Way, measure func(m *LinkMeter) error) []float64 {
	t.Helper()
	took := make([]float64, ranks)
	var group sync.WaitGroup
	for rank, comm := range mpi.InProcess(ranks) {
		group.Go(func() {
			begin := time.Unix(0, 0)
			m := &modelled{Comm: comm, ways: ways(rank), clock: begin}
			meter := &LinkMeter{comm: m, watchdog: new(Watchdog), tolerance: time.Minute, now: m.now}
			if err := measure(meter); err != nil {
				t.Error(err)
			}
			took[rank] = m.now().Sub(begin).Seconds()
		})
	}
	group.Wait()
	return took
}

// Of each two clusters few nodes measure, because many pairs of distant nodes would take seconds
// before the first superstep. Nodes in any order are found, and a node that is busy whenever it
// measures with its predecessor is not far from any.
func TestFewPairsFindClusters(t *testing.T) {
	const near, far = 5e-5, 0.02
	halves := func(node int) int { return node / 32 }
	for name, c := range map[string]struct {
		nodes   int
		cluster func(node int) int
		slow    func(a, b int) bool // pairs whose trips are delayed
		want    func(node int) int  // nil: no groups
		most    float64             // seconds
	}{
		"one cluster":          {64, func(int) int { return 0 }, nil, nil, 0.01},
		"two clusters":         {64, halves, nil, halves, 6 * 2.5 * 2 * far},
		"in turns":             {12, func(node int) int { return node % 3 }, nil, func(node int) int { return node % 3 }, 26 * 2.5 * 2 * far},
		"a busy node":          {8, func(int) int { return 0 }, func(a, b int) bool { return a == 3 && b == 4 }, nil, 0.5},
		"busy in two clusters": {64, halves, func(a, b int) bool { return a == 9 && b == 10 }, halves, 12 * 2.5 * 2 * far},
		"more than are paired": {200, func(node int) int { return node / 50 }, nil, func(node int) int { return node / 50 }, 10 * 2.5 * 2 * far},
	} {
		found := make([][]int, c.nodes)
		took := timedRanks(t, c.nodes, func(int) func(from, to int) Way {
			return func(from, to int) Way {
				if c.cluster(from) != c.cluster(to) {
					return Way{Latency: far}
				}
				if c.slow != nil && c.slow(min(from, to), max(from, to)) {
					return Way{Latency: far}
				}
				return Way{Latency: near}
			}
		}, func(m *LinkMeter) (err error) {
			ranks := make([]int, c.nodes)
			for rank := range ranks {
				ranks[rank] = rank
			}
			found[m.comm.Rank()], err = m.near(ranks)
			return err
		})
		var want []int
		for node := range c.nodes {
			if c.want != nil {
				want = append(want, c.want(node))
			}
		}
		for rank, got := range found {
			if !slices.Equal(got, want) {
				t.Errorf("%s: rank %d has found %v, want %v", name, rank, got, want)
			}
		}
		if longest := slices.Max(took); longest > c.most {
			t.Errorf("%s: it took %.3g s, want %.3g at most", name, longest, c.most)
		}
	}
}

// Long trips are few, and the shortest of them counts.
func TestLongTripsAreFew(t *testing.T) {
	const ranks, late = 4, 0.03
	var rounds [][]pair
	for _, round := range tournament(ranks) {
		var pairs []pair
		for _, p := range round {
			pairs = append(pairs, pair{lead: p[0], follow: p[1], from: p[0], to: p[1]})
		}
		rounds = append(rounds, pairs)
	}
	for latency, most := range map[float64]float64{0.02: 2, 0.001: 4} {
		took := timedRanks(t, ranks, func(int) func(from, to int) Way {
			words := 0
			return func(int, int) Way {
				if words++; words%8 == 1 { // the first of the orders and answers of four trips
					return Way{Latency: latency + late}
				}
				return Way{Latency: latency}
			}
		}, func(m *LinkMeter) error {
			trips, err := m.trips(rounds)
			for _, trip := range trips {
				if took := trip.took.Seconds(); m.comm.Rank() == 0 && !(took > 1.9*latency && took < 2.1*latency) {
					t.Errorf("%g s to a rank: a trip from rank %d to rank %d takes %g s", latency, trip.a, trip.b, took)
				}
			}
			return err
		})
		for rank, took := range took {
			// The exchange of the results adds two words.
			if took > float64(len(rounds))*(2*latency*most+latency+2*late)+4*(latency+late) {
				t.Errorf("%g s to a rank: rank %d took %.3g s, with at most %g trips in each of %d rounds", latency, rank, took, most, len(rounds))
			}
		}
	}
}
