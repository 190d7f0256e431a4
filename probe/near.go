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
	// mostNear limits the number of neighborhoods that measure in pairs, and with it the number of
	// rounds.
	mostNear = 64
	// nearTime is spent on a pair at most, unless the least number of trips takes longer.
	nearTime = time.Millisecond
	// Nodes are far from others if a trip takes farFactor times the time of a trip to a near node,
	// and at least farLeast: smaller differences come from a switch on the path, or a busy node.
	farFactor = 4
	farLeast  = 300 * time.Microsecond
)

// Near groups nodes that are near to each other, such as the nodes of one of several clusters, by
// the time of a short message between them. All ranks call it and get the same result: by rank the
// group of its node, numbered in the order of first ranks; nil if it finds no groups, or too few
// nodes. It uses Comm, Hosts, Tolerance and Silent of the plan.
//
// Each node measures with the next one in the order of ranks, in two rounds. Nodes that are not far
// from the next form a neighborhood, and of each two neighborhoods two pairs of nodes measure: a
// node of a single pair may be busy, and would then look far. So nodes named cluster by cluster
// take few rounds, and nodes of clusters in alternation take one round for each node.
//
// After an error only Abort and Close of the Comm may be called.
func Near(plan Plan) ([]int, error) {
	plan.Tolerance = cmp.Or(plan.Tolerance, usualTolerance)
	comm := plan.Comm
	nodes, first, seen := make([]int, comm.Size()), []int(nil), make(map[int]int)
	for rank := range nodes {
		node, known := seen[comm.Engine().Nodes[rank]]
		if !known {
			node = len(first)
			seen[comm.Engine().Nodes[rank]] = node
			first = append(first, rank)
		}
		nodes[rank] = node
	}
	if len(first) < 3 {
		return nil, nil
	}
	c := &Calibration{plan: &plan}
	c.watchdog.Introduce(plan.Hosts)
	c.meter = &LinkMeter{comm: comm, watchdog: &c.watchdog, tolerance: plan.Tolerance, bounded: true, now: time.Now}
	var groups []int
	err := c.watched(func() (err error) {
		groups, err = c.meter.near(first)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("measuring latencies: %w", err)
	}
	if groups == nil {
		return nil, nil
	}
	for rank, node := range nodes {
		nodes[rank] = groups[node]
	}
	return nodes, nil
}

// near measures between nodes, with one rank of each, and groups them.
func (m *LinkMeter) near(ranks []int) ([]int, error) {
	between := func(a, b int) pair { return pair{lead: ranks[a], follow: ranks[b], from: a, to: b} }
	next := make([][]pair, 2)
	for node := range len(ranks) - 1 {
		next[node%2] = append(next[node%2], between(node, node+1))
	}
	known, err := m.trips(next)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(known, func(x, y trip) int { return cmp.Compare(x.a, y.a) })
	ends := [][2]int{{0, 0}} // of neighbourhoods, the first and the last node
	for _, t := range known {
		if t.took < farLeast {
			ends[len(ends)-1][1] = t.b
		} else {
			ends = append(ends, [2]int{t.b, t.b})
		}
	}
	if len(ends) == 1 || len(ends) > mostNear {
		return nil, nil
	}
	var rounds [][]pair
	for end := range 2 {
		for _, round := range tournament(len(ends)) {
			var pairs []pair
			for _, p := range round {
				pairs = append(pairs, between(ends[p[0]][end], ends[p[1]][end]))
			}
			rounds = append(rounds, pairs)
		}
	}
	more, err := m.trips(rounds)
	return nearGroups(len(ranks), append(known, more...)), err
}

// trip is the time of a short message between two nodes and its answer.
type trip struct {
	a, b int
	took time.Duration
}

// trips makes pairs measure a short trip, and returns all results on all ranks.
func (m *LinkMeter) trips(rounds [][]pair) ([]trip, error) {
	n := m.comm.Size()
	times := make([]int64, len(rounds)*n) // by round and rank that leads
	err := m.inRounds(rounds, 2*nearTime*time.Duration(len(rounds)), "measure latencies", func(round int, p pair, each time.Duration) error {
		if m.comm.Rank() == p.follow {
			return m.follow(p.lead)
		}
		took, err := m.roundTrip(p.follow, each)
		if err != nil {
			return err
		}
		times[round*n+p.lead] = int64(took)
		return m.order(p.follow, doEnd, 0)
	})
	if err == nil {
		err = mpi.Combine(m.comm, mpi.Sum, times)
	}
	var list []trip
	for round, pairs := range rounds {
		for _, p := range pairs {
			list = append(list, trip{p.from, p.to, time.Duration(times[round*n+p.lead])})
		}
	}
	return list, err
}

// nearGroups joins n nodes by the shortest trips between them, until the next trip that joins any
// is much longer than the one before. It returns the group of each node, or nil for a single group.
func nearGroups(n int, trips []trip) []int {
	slices.SortFunc(trips, func(x, y trip) int { return cmp.Compare(x.took, y.took) })
	group, longest := make([]int, n), time.Duration(math.MaxInt64)
	for node := range group {
		group[node] = node
	}
	for _, t := range trips {
		to, from := min(group[t.a], group[t.b]), max(group[t.a], group[t.b])
		if to == from {
			continue
		}
		if t.took >= farLeast && t.took/farFactor >= longest {
			break
		}
		longest = t.took
		for node, g := range group {
			if g == from {
				group[node] = to
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
	if len(number) == 1 {
		return nil
	}
	return group
}
