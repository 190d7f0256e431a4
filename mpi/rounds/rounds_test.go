package rounds

import (
	"fmt"
	"math/bits"
	"testing"
)

// TestRadix holds the number of messages of empty supersteps for any number of nodes.
func TestRadix(t *testing.T) {
	for nodes := 2; nodes <= 5000; nodes += 1 + nodes/100 {
		p := For(nodes)
		if most := 2*bits.Len(uint(nodes-1)) + 2; len(p.Steps) > most {
			t.Errorf("%d nodes with radix %d: %d messages, want at most %d", nodes, p.Radix, len(p.Steps), most)
		}
		if p.Rounds > bits.Len(uint(nodes-1)) {
			t.Errorf("%d nodes with radix %d: %d rounds", nodes, p.Radix, p.Rounds)
		}
		if rounds, messages := count(nodes, p.Radix); rounds != p.Rounds || messages != len(p.Steps) {
			t.Errorf("%d nodes: counted %d rounds of %d messages, planned %d of %d", nodes, rounds, messages, p.Rounds, len(p.Steps))
		}
	}
}

// If waiting is expensive the plan has fewer rounds of more messages, if it is cheap fewer
// messages.
func TestRadixForLines(t *testing.T) {
	for _, c := range []struct{ nodes, roundCost, rounds, messages int }{
		{2, 1, 1, 1}, {3, 1, 1, 2}, {8, 1, 3, 3}, {8, 4, 1, 7}, {16, 1, 4, 4}, {16, 4, 2, 6}, {16, 32, 1, 15},
		{64, 4, 3, 9}, {64, 32, 2, 14}, {64, 64, 1, 63}, {1024, 32, 3, 28},
	} {
		if p := ForLines(c.nodes, c.roundCost); p.Rounds != c.rounds || len(p.Steps) != c.messages {
			t.Errorf("%d nodes, a round costs %d: %d rounds of %d messages with radix %d, want %d of %d",
				c.nodes, c.roundCost, p.Rounds, len(p.Steps), p.Radix, c.rounds, c.messages)
		}
	}
}

// TestPlans are some by hand.
func TestPlans(t *testing.T) {
	for _, c := range []struct {
		nodes, radix int
		want         string
	}{
		{1, 2, "0 rounds [] slot 4000 inline 3968"},
		{2, 2, "1 rounds [{0 1 1}] slot 32800 inline 32768"},
		{3, 3, "1 rounds [{0 1 1} {0 2 2}] slot 32800 inline 32768"},
		// Distances 1 and 3, 2 and 3 share messages.
		{4, 2, "2 rounds [{0 1 1} {1 1 2}] slot 3984 inline 1968"},
		// With three digits of base 4 in up to 16 nodes, four share one.
		{16, 4, "2 rounds [{0 1 1} {0 2 2} {0 3 3} {1 1 4} {1 2 8} {1 3 12}] slot 3984 inline 976"},
	} {
		p := WithRadix(c.nodes, c.radix)
		if got := fmt.Sprintf("%d rounds %v slot %d inline %d", p.Rounds, p.Steps, p.SlotBytes, p.InlineBytes); got != c.want {
			t.Errorf("%d nodes, radix %d: %s, want %s", c.nodes, c.radix, got, c.want)
		}
	}
	if p := For(4096); p.InlineBytes != 0 || p.SlotBytes != HeadBytes+1024*LabelBytes {
		t.Errorf("4096 nodes announce all parcels: inline %d, slots of %d bytes", p.InlineBytes, p.SlotBytes)
	}
}

// TestDelivery carries a parcel from node 0 to each other one, and counts the parcels of a step:
// each goes from step to step by its digits, arrives, and fits into the slot. The plan is the same
// around each node.
func TestDelivery(t *testing.T) {
	for nodes := 1; nodes <= 300; nodes += 1 + nodes/40 {
		for _, radix := range []int{2, 3, 5, Radix(nodes, UsualCost), max(nodes, 2)} {
			p := WithRadix(nodes, radix)
			carried := make([]int, len(p.Steps))
			for d := 1; d < nodes; d++ {
				at := 0
				for i, s := range p.Steps {
					if p.Digit(p.Distance(0, d), s.Round) == s.Digit {
						at += s.Distance
						carried[i]++
					}
				}
				if at != d {
					t.Fatalf("%d nodes, radix %d: a parcel for node %d came to %d", nodes, radix, d, at)
				}
			}
			for i, n := range carried {
				if most := HeadBytes + n*(LabelBytes+aligned(p.InlineBytes)); most > p.SlotBytes {
					t.Fatalf("%d nodes, radix %d: step %d has up to %d bytes, its slot %d", nodes, radix, i, most, p.SlotBytes)
				}
				if n == 0 {
					t.Fatalf("%d nodes, radix %d: no parcel needs step %d", nodes, radix, i)
				}
			}
		}
	}
}

func TestPieces(t *testing.T) {
	for _, c := range []struct {
		bytes       int
		here, there bool // alone
		long        bool
		packed      int
	}{
		{1, false, false, false, 32},
		{16, false, false, false, 32},
		{LongPieceBytes - 1, false, false, false, 16 + LongPieceBytes},
		{LongPieceBytes, false, true, true, 16},
		{LongPieceBytes, true, false, true, 16},
		{LongPieceBytes, true, true, false, 16 + LongPieceBytes},
	} {
		long := Long(c.bytes, c.here, c.there)
		if packed := Packed(c.bytes, long); long != c.long || packed != c.packed {
			t.Errorf("%+v: long %v, packed %d", c, long, packed)
		}
	}
}

// TestForDense checks that a dense exchange takes one message to each other node, which carries a
// piece that is not long, and the memory of its slots.
func TestForDense(t *testing.T) {
	for nodes := 2; nodes <= 4096; nodes++ {
		plan := For(nodes)
		p := ForDense(nodes, plan)
		if usual := len(plan.Steps); usual == nodes-1 || nodes > 64 {
			if p != nil {
				t.Errorf("%d nodes have a plan for dense exchanges; the usual one sends %d messages", nodes, usual)
			}
			continue
		}
		if p == nil {
			t.Fatalf("%d nodes have no plan for dense exchanges", nodes)
		}
		if p.Rounds != 1 || len(p.Steps) != nodes-1 {
			t.Errorf("%d nodes: %d messages in %d rounds", nodes, len(p.Steps), p.Rounds)
		}
		if least := Packed(LongPieceBytes-Align, false); p.InlineBytes < least {
			t.Errorf("%d nodes: a message carries %d bytes, want %d", nodes, p.InlineBytes, least)
		}
		if total := 3 * len(p.Steps) * p.SlotBytes; total > 8<<20 {
			t.Errorf("%d nodes: %d bytes of slots", nodes, total)
		}
	}
}

// TestTree carries a parcel from each node to each other one along the edges of a tree, and counts
// the parcels of each message and the messages of each node. Flags of all nodes must reach all
// others.
func TestTree(t *testing.T) {
	for nodes := 2; nodes <= MostTree; nodes++ {
		p := NewTree(nodes)
		edges, sends := make([][]Edge, nodes), 0
		for n := range edges {
			edges[n] = p.Edges(n)
			messages := 0
			for i, e := range edges[n] {
				if e.Sends {
					messages++
				}
				if i > 0 && e.Round < edges[n][i-1].Round {
					t.Fatalf("%d nodes: the rounds of node %d do not follow each other", nodes, n)
				}
			}
			if sends += messages; messages > 2*bits.Len(uint(nodes-1))+2 {
				t.Errorf("%d nodes: node %d sends %d messages", nodes, n, messages)
			}
		}
		if sends != 2*(nodes-1) {
			t.Errorf("%d nodes send %d messages, want %d", nodes, sends, 2*(nodes-1))
		}
		carried := make(map[[2]int]int)
		for src := range nodes {
			for dst := range nodes {
				for at, round := src, 0; at != dst; {
					from, next := at, -1
					for _, e := range edges[at] {
						if e.Sends && e.Round >= round && (dst-e.First+nodes)%nodes < e.Count {
							next, round = e.Node, e.Round
							break
						}
					}
					if next < 0 {
						t.Fatalf("%d nodes: a parcel from node %d for node %d stays at %d", nodes, src, dst, at)
					}
					at = next
					carried[[2]int{from, at}]++
				}
			}
		}
		for edge, n := range carried {
			if HeadBytes+n*(LabelBytes+p.InlineBytes) > p.SlotBytes-FoldBytes {
				t.Fatalf("%d nodes: the message from node %d to node %d has up to %d parcels, which do not fit into a slot of %d bytes", nodes, edge[0], edge[1], n, p.SlotBytes)
			}
		}
		if total := 3 * 2 * p.Children * p.SlotBytes; total > 9<<20 {
			t.Errorf("%d nodes: %d bytes of slots", nodes, total)
		}
	}
}

// TestFolded sums up the contents of a message up a tree if each rank contributes the maximum.
func TestFolded(t *testing.T) {
	for nodes := 2; nodes <= MostTree; nodes++ {
		p, ranks := NewTree(nodes), make([]int, nodes)
		for n := range ranks {
			ranks[n] = 1 + n*n%5
		}
		most := p.MostFolded(ranks)
		if most < 1000 {
			t.Errorf("%d nodes: a rank may give %d bytes", nodes, most)
		}
		for n := 1; n < nodes; n++ {
			total := 0
			for below := n; below < n+p.size(n); below++ {
				total += LabelBytes + ranks[below]*Packed(most, false)
			}
			if total > FoldBytes {
				t.Errorf("%d nodes: %d bytes go up from node %d, there is room for %d", nodes, total, n, FoldBytes)
			}
		}
	}
}
