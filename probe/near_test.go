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

// Nodes of clusters that are far from each other are found, however trips vary within them, and
// there are no groups where nodes are alike, where they are far by little, or by a short time.
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
			trips := make(map[[2]int]float64)
			for a := range c.clusters {
				for b := range a {
					trip := c.near
					if c.clusters[a] != c.clusters[b] {
						trip = c.far
					}
					trips[[2]int{b, a}] = trip * (1 + random.Float64())
				}
			}
			got := nearGroups(len(c.clusters), func(a, b int) float64 { return trips[[2]int{min(a, b), max(a, b)}] })
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: groups %v, want %v", c.name, got, c.want)
			}
		}
	}
}

// clustered is a Comm of which some ranks are far away from the others: they answer late.
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

// Long trips are few, for many pairs of them would take seconds before the first superstep, and the shortest of them counts.
func TestLongTripsAreFew(t *testing.T) {
	const ranks, late = 4, 0.03
	for latency, most := range map[float64]int{0.02: 2, 0.001: 4} {
		times := make([]int64, ranks*ranks)
		var group sync.WaitGroup
		for rank, comm := range mpi.InProcess(ranks) {
			group.Go(func() {
				words := 0
				m := &modelled{Comm: comm, ways: func(int, int) Way {
					if words++; words%8 == 1 { // the first of the orders and answers of four trips
						return Way{Latency: latency + late}
					}
					return Way{Latency: latency}
				}, clock: time.Unix(0, 0)}
				meter := NewLinkMeter(m, []int{0, 1, 2, 3}, []int{0, 1, 2, 3}, new(Watchdog), time.Minute)
				meter.now = m.now
				mine := make([]int64, ranks*ranks)
				begin := m.now()
				if err := meter.trips(mine); err != nil {
					t.Error(err)
				}
				rounds := float64(ranks - 1)
				if took := m.now().Sub(begin).Seconds(); took > rounds*(2*latency*float64(most)+latency+2*late) {
					t.Errorf("%g s to a rank: rank %d took %.3g s, with at most %d trips in each of %g rounds", latency, rank, took, most, rounds)
				}
				if rank == 0 {
					copy(times, mine)
				}
			})
		}
		group.Wait()
		for other := 1; other < ranks; other++ {
			if trip := float64(times[other]) / 1e9; trip != 0 && !(trip > 1.9*latency && trip < 2.1*latency) {
				t.Errorf("%g s to a rank: a trip to rank %d takes %g s", latency, other, trip)
			}
		}
	}
}
