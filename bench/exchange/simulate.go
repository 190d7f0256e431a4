package main

import (
	"context"

	"github.com/migbsp/migbsp/bench/exchange/traffic"
	"github.com/migbsp/migbsp/mpi/rounds"
)

// column is something that is simulated: a pattern, and how it ends.
type column struct {
	pattern traffic.Pattern
	how     string
}

const (
	inRounds   = "in rounds"  // as migbsp does
	binary     = "radix 2"    // with as many rounds as there can be
	direct     = "direct"     // one message to each other node
	remembered = "remembered" // one message to each partner, no rounds
	manual     = "by hand"    // without a barrier
	dissem     = "barrier"    // by hand, with one by dissemination
	doubled    = "rec. dbl."  // by hand, with one by recursive doubling
)

var columns = []column{
	{traffic.Empty, inRounds}, {traffic.Empty, binary}, {traffic.Empty, direct}, {traffic.Empty, dissem}, {traffic.Empty, doubled},
	{traffic.Halo, inRounds}, {traffic.Halo, remembered}, {traffic.Halo, manual}, {traffic.Halo, dissem},
	{traffic.AllToAll, inRounds}, {traffic.AllToAll, binary}, {traffic.AllToAll, direct}, {traffic.AllToAll, manual},
}

func (c column) name() string { return c.pattern.String() + ", " + c.how }

// way is how ranks of that shape do it on a network.
func (c column) way(n network, s traffic.Shape, bytes int) way {
	switch c.how {
	case binary:
		return newLevels(rounds.WithRadix(s.Nodes, 2), s, c.pattern, bytes)
	case direct:
		return newLevels(rounds.WithRadix(s.Nodes, s.Nodes), s, c.pattern, bytes)
	case remembered:
		w := newLevels(n.plan(s.Nodes), s, c.pattern, bytes)
		w.partners = true
		return w
	case manual:
		return newByHand(s, c.pattern, bytes, none)
	case dissem:
		return newByHand(s, c.pattern, bytes, dissemination)
	case doubled:
		return newByHand(s, c.pattern, bytes, doubling)
	}
	return newLevels(n.plan(s.Nodes), s, c.pattern, bytes)
}

// series are the times of a network with so many ranks on each node.
type series struct {
	network network
	ranks   int
	times   []times
}

// times are of one number of nodes.
type times struct {
	traffic.Shape
	us       map[column]float64
	messages map[column]float64 // of a node
}

// tooMany is the messages of a superstep beyond which it is left out.
const tooMany = 1 << 18

// simulate simulates all columns.
func (s *settings) simulate(ctx context.Context, n network, shape traffic.Shape) (times, error) {
	t := times{shape, make(map[column]float64), make(map[column]float64)}
	for _, c := range columns {
		if err := ctx.Err(); err != nil {
			return t, context.Cause(ctx)
		}
		if x, messages, ok := s.one(n, shape, c, 4); ok {
			t.us[c], t.messages[c] = x, messages
		}
	}
	return t, nil
}

// one simulates some supersteps of a column. It is not ok where they have too many messages.
func (s *settings) one(n network, shape traffic.Shape, c column, steps int) (us, messages float64, ok bool) {
	uneven := n.Leaf > 0 || n.Cores > 0 || c.how == doubled && shape.Nodes&(shape.Nodes-1) != 0
	fold := !uneven && shape.Size() > s.most
	sending := shape.Nodes
	if fold {
		sending = 1
	}
	if c.pattern == traffic.AllToAll {
		each := shape.Nodes
		if c.how == manual {
			each = shape.Ranks * shape.Size()
		}
		if sending*each > tooMany {
			return 0, 0, false
		}
	}
	m := newMachine(n, shape, fold, steps, c.way(n, shape, s.bytes(c.pattern)))
	us = m.run()
	messages, _ = m.perNode()
	return us, messages, true
}

// bytes are those of a piece.
func (s *settings) bytes(p traffic.Pattern) int {
	if p == traffic.Halo {
		return s.halo
	}
	return s.all
}
