// Package traffic says who has how much for whom in the supersteps that bench/exchange
// simulates and measures.
//
// All of it looks the same from each node: what a node has for another follows from the
// distance of their numbers. So one node can stand for all where all are alike.
package traffic

import (
	"fmt"
	"math"
)

// Pattern is a kind of superstep.
type Pattern int

const (
	Empty    Pattern = iota // nothing
	Halo                    // of a grid: each rank has something for four others
	AllToAll                // each rank has something for each other one
)

var names = []string{"empty", "halo", "all to all"}

func (p Pattern) String() string { return names[p] }

// Shape is a number of equal nodes.
type Shape struct{ Nodes, Ranks int } // Ranks of each node

// Size is the number of all ranks. Those of a node follow each other.
func (s Shape) Size() int { return s.Nodes * s.Ranks }

func (s Shape) String() string { return fmt.Sprintf("%d x %d", s.Nodes, s.Ranks) }

// Flow is some pieces of equal length that a node's ranks have for those of another. Of one
// piece From and To are the members between which it goes, of several all go from each to
// each.
//
// What two ranks that are neighbours in several ways have for each other is one piece.
type Flow struct {
	Distance, Pieces, Bytes int
	From, To                int
}

// Flows are what each node has for others, in which pieces have so many bytes.
func (s Shape) Flows(p Pattern, bytes int, long func(int) bool) (flows []Flow) {
	switch p {
	case Halo:
		for member := range s.Ranks {
			for _, n := range s.neighbours(member) {
				if n.distance != 0 {
					flows = joined(flows, Flow{n.distance, 1, bytes, member, n.member})
				}
			}
		}
	case AllToAll:
		for d := 1; d < s.Nodes; d++ {
			if !long(bytes) {
				flows = append(flows, Flow{Distance: d, Pieces: s.Ranks * s.Ranks, Bytes: bytes})
				continue
			}
			for from := range s.Ranks {
				for to := range s.Ranks {
					flows = append(flows, Flow{d, 1, bytes, from, to})
				}
			}
		}
	}
	return flows
}

// joined adds a piece: what a rank has for another is one.
func joined(flows []Flow, f Flow) []Flow {
	for i := range flows {
		if g := &flows[i]; g.Distance == f.Distance && g.From == f.From && g.To == f.To {
			g.Bytes += f.Bytes
			return flows
		}
	}
	return append(flows, f)
}

// Partners are the ranks that a rank has something for, in the order in which it sends.
func (s Shape) Partners(p Pattern, rank int) (ranks []int) {
	node, member := rank/s.Ranks, rank%s.Ranks
	switch p {
	case Halo:
		for _, n := range s.neighbours(member) {
			to := (node+n.distance)%s.Nodes*s.Ranks + n.member
			if to != rank {
				ranks = append(ranks, to)
			}
		}
	case AllToAll:
		for d := 1; d < s.Size(); d++ {
			ranks = append(ranks, (rank+d)%s.Size())
		}
	}
	return ranks
}

// neighbour is a member of the node at a distance.
type neighbour struct{ distance, member int }

// neighbours are those of a member in the grid: left, right, above and below. The ranks of
// a node are a block of it, and the nodes are rows of blocks; the last one of a row is
// beside the first one of the next.
func (s Shape) neighbours(member int) []neighbour {
	wide := near(s.Ranks)
	for s.Ranks%wide != 0 {
		wide--
	}
	high, row := s.Ranks/wide, near(s.Nodes)
	x, y := member%wide, member/wide
	at := func(x, y int) neighbour {
		n := neighbour{member: (x+wide)%wide + (y+high)%high*wide}
		switch {
		case x < 0:
			n.distance = s.Nodes - 1
		case x == wide:
			n.distance = 1
		case y < 0:
			n.distance = s.Nodes - row
		case y == high:
			n.distance = row
		}
		n.distance %= s.Nodes
		return n
	}
	return []neighbour{at(x-1, y), at(x+1, y), at(x, y-1), at(x, y+1)}
}

// near is about the square root, and less than n where that can be.
func near(n int) int { return max(1, int(math.Sqrt(float64(n)))) }
