//go:build mpi && cgo

package mpi_test

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

// TestWorldMessages counts the messages of a node in empty supersteps, and in supersteps in which
// its ranks have data for a few others: at most 2 log2 N and two for each node that gets data, and
// two more. Contributions to a fold take none.
func TestWorldMessages(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		nodes := 0
		for r := range c.Size() {
			nodes = max(nodes, c.Engine().Nodes[r]+1)
		}
		rounds := 2 * bits.Len(uint(nodes-1))
		plan := rand.New(rand.NewPCG(7, uint64(c.Size())))
		l := c.Lane(0)
		for round := range 60 {
			partners := make([]map[int]bool, nodes)
			for n := range partners {
				partners[n] = make(map[int]bool)
			}
			for range round % 4 * nodes {
				src, dst, n := plan.IntN(c.Size()), plan.IntN(c.Size()), plan.IntN(20_000)+1
				if from, to := c.Engine().Nodes[src], c.Engine().Nodes[dst]; from != to {
					partners[from][to] = true
				}
				if src == c.Rank() {
					l.Out[dst].Grow(n)
					l.Out[dst].Bytes = l.Out[dst].Bytes[:len(l.Out[dst].Bytes)+n]
				}
			}
			if round%4 == 0 { // the exchange before may have been dense, and this exchange then expects the same
				mpitest.Got(c.Exchange(l, 0))
			}
			if f := l.Fold; f != nil && f.Most > 0 && round%3 == 0 {
				f.Head = make([]byte, plan.IntN(f.Most))
			}
			before := mpi.Messages(c)
			mpitest.Got(c.Exchange(l, 0))
			sent := make([]int64, nodes)
			sent[c.Engine().Nodes[c.Rank()]] = int64(mpi.Messages(c) - before)
			mpitest.Need(mpi.Combine(c, mpi.Sum, sent))
			for n := range sent {
				if most := rounds + 2*len(partners[n]) + 2; int(sent[n]) > most {
					return fmt.Errorf("node %d of %d sent %d messages to %d nodes, want at most %d", n, nodes, sent[n], len(partners[n]), most)
				}
				if round%4 == 0 && nodes > 1 && int(sent[n]) != mpi.Steps(c, nodes, n) {
					return fmt.Errorf("node %d of %d sent %d messages in an empty superstep, want %d", n, nodes, sent[n], mpi.Steps(c, nodes, n))
				}
			}
		}
		return nil
	})
}

// TestWorldLines measures lines: all ranks come to the same cost, also where they share
// cores and the runtime does not ask.
func TestWorldLines(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		cost := mpitest.Got(mpi.RoundCost(c))
		least, most := []int64{int64(cost)}, []int64{int64(cost)}
		mpitest.Need(cmp.Or(mpi.Combine(c, mpi.Min, least), mpi.Combine(c, mpi.Max, most)))
		if least[0] != most[0] || cost < 1 || cost > 64 || bits.OnesCount(uint(cost)) != 1 {
			return fmt.Errorf("a round costs %d messages, for others %d to %d", cost, least[0], most[0])
		}
		return nil
	})
}

// TestWorldDense makes every rank send data too long for the rounds to every other rank, and then
// less, on both lanes in turns. It checks the received data. From the second dense exchange on,
// nodes of one rank send each other one message, plus the messages up and down a tree if exchanges
// use one.
func TestWorldDense(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		p := c.Size()
		size := func(round, src, dst int) int {
			n := 3500 + (37*src+11*dst+5*round)%400
			switch {
			case round%10 == 6 && (src+dst)%3 > 0, round%10 > 7:
				return 0
			case round%10 == 7:
				return n % 50
			case round%10 == 5:
				return 10 * n // longer than a dense round carries
			}
			return n
		}
		single := true
		for r := range p {
			single = single && (r == 0 || c.Engine().Nodes[r] != c.Engine().Nodes[r-1])
		}
		for round := range 40 {
			l := c.Lane(round / 10 % 2)
			for dst := range p {
				if n := size(round, c.Rank(), dst); dst != c.Rank() && n > 0 {
					b := &l.Out[dst]
					b.Grow(n)
					for i := range n {
						b.Bytes = append(b.Bytes, byte(i+round+c.Rank()*dst))
					}
				}
			}
			before := mpi.Messages(c)
			flags := mpitest.Got(c.Exchange(l, mpi.Flags(1)<<(c.Rank()%10*5)))
			if want := ^mpi.Flags(0) >> (64 - 5*min(p, 10)) / 31; flags != want {
				return fmt.Errorf("exchange %d: flags %b, want %b", round, flags, want)
			}
			want := p - 1
			if single && p > 8 && mpi.Climbs(c, p) {
				want += mpi.Steps(c, p, c.Rank())
			}
			if sent := mpi.Messages(c) - before; single && p > 8 && round%10 > 0 && round%10 < 5 && sent != want {
				return fmt.Errorf("exchange %d: %d messages, want %d", round, sent, want)
			}
			for src := range p {
				if src == c.Rank() {
					continue
				}
				if got, want := len(l.In[src]), size(round, src, c.Rank()); got != want {
					return fmt.Errorf("exchange %d: %d bytes from rank %d, want %d", round, got, src, want)
				}
				for i, b := range l.In[src] {
					if b != byte(i+round+src*c.Rank()) {
						return fmt.Errorf("exchange %d: byte %d of %d from rank %d is wrong", round, i, len(l.In[src]), src)
					}
				}
			}
		}
		return nil
	})
}

// TestWorldMessagesOfThosePresent counts the messages of empty supersteps while ranks are away:
// ranks on one node send none, and the remaining nodes send as many as if there were no others. The
// absent send none at all.
func TestWorldMessagesOfThosePresent(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		for least := range c.Size() {
			present, nodes := make([]bool, c.Size()), make(map[int]int) // their numbers among these
			for r := least; r < c.Size(); r += 1 + least {
				present[r] = true
				if _, known := nodes[c.Engine().Nodes[r]]; !known {
					nodes[c.Engine().Nodes[r]] = len(nodes)
				}
			}
			const supersteps = 20
			begun := mpi.Messages(c)
			mpitest.Got(c.Attend(present, nil))
			if present[c.Rank()] {
				for range supersteps {
					mpitest.Got(c.Exchange(c.Lane(0), 0))
				}
			}
			sent := mpi.Messages(c) - begun
			if present[c.Rank()] {
				mpitest.Got(c.Attend(nil, nil))
			}
			if got := mpi.Messages(c) - begun; !present[c.Rank()] && got != 0 {
				return fmt.Errorf("rank %d sent %d messages while it was away", c.Rank(), got)
			}
			byNode := make([]int64, c.Size())
			byNode[c.Engine().Nodes[c.Rank()]] = int64(sent)
			mpitest.Got(c.Exchange(c.Lane(0), 0))
			mpitest.Need(mpi.Combine(c, mpi.Sum, byNode))
			for node, sent := range byNode {
				want := 0
				if n, here := nodes[node]; here && len(nodes) > 1 {
					want = supersteps * mpi.Steps(c, len(nodes), n)
				}
				if int(sent) != want {
					return fmt.Errorf("node %d sent %d messages in %d supersteps of %d nodes, want %d", node, sent, supersteps, len(nodes), want)
				}
			}
		}
		return nil
	})
}
