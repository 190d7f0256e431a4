package sim

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// plainReach looks through all open points for the nearest one.
func plainReach(z *zone, a *point) map[*point]*point {
	before, cost := map[*point]*point{}, map[*point]int{a: 0}
	for open := []*point{a}; len(open) > 0; {
		nearest := 0
		for i, p := range open {
			if cost[p] < cost[open[nearest]] {
				nearest = i
			}
		}
		at := open[nearest]
		open = slices.Delete(open, nearest, nearest+1)
		for _, to := range z.next[at] {
			total := cost[at] + len(z.routes[[2]*point{at, to}].links)
			if known, seen := cost[to]; seen && known <= total {
				continue
			}
			if !slices.Contains(open, to) {
				open = append(open, to)
			}
			cost[to], before[to] = total, at
		}
	}
	return before
}

func randomZone(random *rand.Rand) (*zone, []*point) {
	z := newZone("z")
	z.routing = shortest
	points := make([]*point, 2+random.IntN(12))
	for i := range points {
		points[i] = &point{zone: z, host: i}
	}
	for range random.IntN(40) {
		z.add(points[random.IntN(len(points))], points[random.IntN(len(points))], hop{links: make([]int, random.IntN(4))})
	}
	return z, points
}

func TestShortestWays(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	for range 500 {
		z, points := randomZone(random)
		for _, a := range points {
			if got, want := z.reach(a), plainReach(z, a); !maps.Equal(got, want) {
				t.Fatalf("%v, want %v", got, want)
			}
		}
	}
}

// Runs at the same time may look for routes of the same platform.
func TestRoutesAreFoundAtTheSameTime(t *testing.T) {
	random := rand.New(rand.NewPCG(23, 24))
	z, points := randomZone(random)
	var searches sync.WaitGroup
	for range 4 {
		searches.Go(func() {
			for _, a := range points {
				for _, b := range points {
					if a != b {
						z.search(a, b)
					}
				}
			}
		})
	}
	searches.Wait()
}
