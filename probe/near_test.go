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

// Pairs whose trips are long and alike measure once: many of them would take seconds before the first superstep.
func TestLongTripsThatAreAlikeAreTakenOnce(t *testing.T) {
	const ranks = 4
	for name, c := range map[string]struct {
		jitter float64 // of each other message, seconds
		again  bool
	}{"alike": {0, false}, "unlike": {0.015, true}} {
		passes := make([][2]time.Duration, ranks)
		var group sync.WaitGroup
		for rank, comm := range mpi.InProcess(ranks) {
			group.Go(func() {
				sent := 0
				m := &modelled{Comm: comm, ways: func(int, int) Way {
					sent++
					return Way{Latency: 0.02 + c.jitter*float64(sent/2%2)}
				}, clock: time.Unix(0, 0)}
				meter := NewLinkMeter(m, []int{0, 1, 2, 3}, []int{0, 1, 2, 3}, new(Watchdog), time.Minute)
				meter.now = m.now
				times, sure := make([]int64, ranks*ranks), make([]bool, ranks*ranks)
				for pass := range passes[rank] {
					begin := m.now()
					if err := meter.trips(times, sure); err != nil {
						t.Error(err)
					}
					passes[rank][pass] = m.now().Sub(begin)
				}
			})
		}
		group.Wait()
		for rank, took := range passes {
			if again := took[1] > took[0]/2; again != c.again {
				t.Errorf("%s: rank %d took %v, measured again: %v", name, rank, took, again)
			}
		}
	}
}
