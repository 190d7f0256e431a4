// Package rounds is the plan of the messages by which the nodes of a run find out, in an exchange,
// that all have come to it, and get their data: the sender and receiver of each message in each
// round, its contents, and the data sent separately. It sends no messages: package mpi does.
//
// Let D = (dst - src) mod N be the distance of two of N nodes, written with digits of base R, the
// radix. In round k, node i sends a message to each node i + v R^k for v = 1 .. R-1, while
// v R^k < N: the parcels it holds whose distance has v as digit k, and the flags it has received
// so far. A parcel has covered its digits below k by then, and is at its destination after the
// last round. The flags have then reached every node: any distance below N is a sum of such
// steps, and all of them are made. Combining flags twice does no harm, so N need not be a power of R.
//
// With R = N this is one message to every other node; with R = 2 Bruck's exchange, log2 N messages
// one after the other (Bruck et al., IEEE TPDS 8(11), 1997). All steps lead to different nodes, so
// that two nodes exchange at most one message of the rounds in each direction, and the library's
// order of messages tells exchanges apart.
package rounds

import "math"

// Plan is the plan of the rounds among some nodes.
type Plan struct {
	Nodes, Radix int
	Rounds       int
	Steps        []Step // in the order of sending
	SlotBytes    int    // that the longest message of a step can have
	InlineBytes  int    // of a parcel that goes along in the rounds; a longer one goes by itself
}

// Step is the message sent to one node in one round, and the corresponding message received.
type Step struct {
	Round, Digit int
	Distance     int // from the sender to the receiver
}

// For returns the plan for that many nodes whose lines are not known.
func For(nodes int) *Plan { return ForLines(nodes, UsualCost) }

// ForLines returns the plan for that many nodes, if waiting for a round takes the time of posting
// roundCost messages.
func ForLines(nodes, roundCost int) *Plan { return WithRadix(nodes, Radix(nodes, roundCost)) }

// ForDense returns the plan for exchanges in which each node probably has data for half of the
// others or more that is too long for the usual plan: one message to each. It is nil if the usual
// plan also sends one message to each, and if its slots would take much memory.
func ForDense(nodes int, usual *Plan) *Plan {
	if nodes > mostDense || usual.Radix >= nodes {
		return nil
	}
	return WithRadix(nodes, nodes)
}

const mostDense = 64 // nodes: 6 MiB of slots

// WithRadix returns the plan with a radix of 2 or more.
func WithRadix(nodes, radix int) *Plan {
	p := &Plan{Nodes: nodes, Radix: radix}
	for unit := 1; unit < nodes; unit *= radix {
		for v := 1; v < radix && v*unit < nodes; v++ {
			p.Steps = append(p.Steps, Step{p.Rounds, v, v * unit})
		}
		p.Rounds++
	}
	p.layout()
	return p
}

// Digit returns the digit of a distance for a round.
func (p *Plan) Digit(distance, round int) int {
	for range round {
		distance /= p.Radix
	}
	return distance % p.Radix
}

// Distance returns the distance from one node to another.
func (p *Plan) Distance(src, dst int) int { return (dst - src + p.Nodes) % p.Nodes }

// A round of messages between nodes waits for one message to arrive. UsualCost is the number of
// messages that can be posted in that time, if lines are not measured: 25 us and 5 to 10 us over
// TCP, 1.5 us and 0.4 us over fast networks. Over lines of a millisecond it is 35.
const UsualCost = 4

// LeastCost is the cost of a round if other ranks can use the time of waiting, as among ranks that
// share the cores of a machine. It minimizes the number of messages.
const LeastCost = 1

// LongCost is the cost of a round beyond which a node may send more messages than usual: the
// latency is so high that posting them is cheap compared with waiting.
const LongCost = 8

// CostOf returns the cost of a round if a message takes its sender post microseconds, and is
// received way microseconds later. It is a power of two, so that runs on the same machines have the
// same plan. Lines of less than a tenth of a millisecond are never long.
func CostOf(post, way float64) int {
	const most, long = 64, 100
	cost := 1 << int(math.Round(math.Log2(min(max(way/post, 1), most))))
	if way < long {
		cost = min(cost, LongCost)
	}
	return cost
}

// Radix returns the radix for that many nodes: that with the least cost. Unless lines are
// long it is of those that send no more than 2 ceil(log2 nodes) + 2 messages.
func Radix(nodes, roundCost int) int {
	limit := 2
	for n := 1; n < nodes; n *= 2 {
		limit += 2
	}
	best, least := 2, 0
	for r := 2; r <= max(nodes, 2); r++ {
		rounds, messages := count(nodes, r)
		if messages > limit && r > 2 && roundCost <= LongCost {
			continue
		}
		if cost := rounds*roundCost + messages; least == 0 || cost < least {
			best, least = r, cost
		}
	}
	return best
}

// count returns the number of rounds of that radix between nodes, and the number of messages that
// each node sends.
func count(nodes, radix int) (rounds, messages int) {
	for unit := 1; unit < nodes; unit *= radix {
		rounds++
		messages += min(radix-1, (nodes-1)/unit)
	}
	return rounds, messages
}
