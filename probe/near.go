package probe

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/migbsp/migbsp/mpi"
)

const (
	// mostNear bounds the number of nodes whose pairs are all measured: it is also the
	// number of rounds.
	mostNear = 64
	// nearTime is spent on a pair at most, unless the least number of trips takes longer.
	nearTime = time.Millisecond
	// nearPasses is the number of times that each pair measures. The shortest trip counts:
	// one that met a rank waiting for its core would make a pair look far, and so make a
	// false Set.
	nearPasses = 2
	// Nodes are far from others if a trip takes farFactor times as long as to a near one,
	// and at least farLeast: smaller differences are a switch on the way, or a busy node.
	farFactor = 4
	farLeast  = 300 * time.Microsecond
)

// Near finds which nodes are near to each other, as the nodes of one of several clusters
// are, by the time of a short message between each two. All ranks call it and get the same
// result: by rank the group of its node, numbered in the order of first ranks; nil if there
// are no groups, or too few or too many nodes. It uses Comm, Hosts, Tolerance and Silent of
// the plan.
//
// After an error the Comm is good for Abort and Close only.
func Near(plan Plan) ([]int, error) {
	plan.Tolerance = cmp.Or(plan.Tolerance, usualTolerance)
	comm := plan.Comm
	nodes, managers, seen := make([]int, comm.Size()), []int(nil), make(map[int]int)
	for rank := range nodes {
		node, known := seen[comm.Engine().Nodes[rank]]
		if !known {
			node = len(managers)
			seen[comm.Engine().Nodes[rank]] = node
			managers = append(managers, rank)
		}
		nodes[rank] = node
	}
	n := len(managers)
	if n < 3 || n > mostNear {
		return nil, nil
	}
	c := &Calibration{plan: plan}
	c.watchdog.Introduce(plan.Hosts)
	c.meter = NewLinkMeter(comm, nodes, managers, &c.watchdog, plan.Tolerance)
	trips := make([]int64, n*n)
	err := c.watched(func() error {
		for range nearPasses {
			if err := c.meter.trips(trips); err != nil {
				return err
			}
		}
		return mpi.Combine(comm, mpi.Sum, trips)
	})
	if err != nil {
		return nil, fmt.Errorf("measuring latencies: %w", err)
	}
	groups := nearGroups(n, func(a, b int) float64 { return float64(trips[min(a, b)*n+max(a, b)]) })
	if groups == nil {
		return nil, nil
	}
	for rank, node := range nodes {
		nodes[rank] = groups[node]
	}
	return nodes, nil
}

// trips has each two Sets' managers measure the nanoseconds of a short trip. The one that leads
// notes it, where it is less than it was.
func (m *LinkMeter) trips(times []int64) error {
	rounds := m.rounds[1:]
	return m.inRounds(rounds, 2*nearTime*time.Duration(len(rounds)), "measure latencies", func(_ int, p pair, each time.Duration) error {
		if m.comm.Rank() == p.follow {
			return m.follow(p.lead)
		}
		trip, err := m.roundTrip(p.follow, each)
		if err != nil {
			return err
		}
		if at := min(p.from, p.to)*m.sets + max(p.from, p.to); times[at] == 0 || int64(trip) < times[at] {
			times[at] = int64(trip)
		}
		return m.order(p.follow, doEnd, 0)
	})
}

// nearGroups parts n nodes where one step of the least spanning tree of their trips is much longer
// than the one before: by node the group, nil if there is none.
func nearGroups(n int, trip func(a, b int) float64) []int {
	// The tree by Prim: of nodes not yet in it the nearest comes next.
	type branch struct {
		from, to int
		trip     float64
	}
	nearest := make([]branch, n)
	for to := range nearest {
		nearest[to] = branch{0, to, trip(0, to)}
	}
	in := make([]bool, n)
	in[0] = true
	var tree []branch
	for range n - 1 {
		next := branch{trip: math.Inf(1)}
		for to, b := range nearest {
			if !in[to] && b.trip < next.trip {
				next = b
			}
		}
		in[next.to] = true
		tree = append(tree, next)
		for to := range nearest {
			if t := trip(next.to, to); !in[to] && t < nearest[to].trip {
				nearest[to] = branch{next.to, to, t}
			}
		}
	}
	slices.SortFunc(tree, func(a, b branch) int { return cmp.Compare(a.trip, b.trip) })
	near := 1
	for near < len(tree) && !(tree[near].trip >= farFactor*tree[near-1].trip && tree[near].trip >= float64(farLeast)) {
		near++
	}
	if near == len(tree) {
		return nil
	}
	group := make([]int, n)
	for node := range group {
		group[node] = node
	}
	for _, b := range tree[:near] {
		to, from := group[b.to], group[b.from]
		for node, g := range group {
			if g == max(to, from) {
				group[node] = min(to, from)
			}
		}
	}
	number := make(map[int]int)
	for node, g := range group {
		if _, known := number[g]; !known {
			number[g] = len(number)
		}
		group[node] = number[g]
	}
	return group
}
