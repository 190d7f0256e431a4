package rounds

import (
	"math/bits"
	"testing"
)

// TestTree carries a parcel from each node to each other one along the edges of a tree, and
// counts what each message carries and how many each node sends. All nodes hear of all others.
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

// TestFolded adds up what a message up a tree has where each rank gives as much as it may.
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
