package rounds

import "math/bits"

// Tree is the plan for nodes that share processors with each other, where the number of messages
// determines the cost: 2 (Nodes - 1) for all; any Plan sends at least Nodes log2 Nodes. Each node
// receives from its children, sends to its parent and receives from it, then sends to its children.
// Parcels go up until they are above their node, and down from there.
//
// The nodes of a subtree have successive numbers, the least for the root. The nodes of the whole
// tree are 0 .. Nodes-1.
//
// Folds use the same messages: each node sends its contribution up, with the contributions of its
// subtree, to node 0, and the result goes from there down to all.
type Tree struct {
	Nodes, Children int
	SlotBytes       int // as in Plan, and FoldBytes
	InlineBytes     int
}

// Edge is the messages between a node and its parent or a child. They carry the parcels for Count
// nodes from First on, where node 0 follows the last.
type Edge struct {
	Round, Node     int
	Receives, Sends bool // whether a message comes in this round, and goes
	First, Count    int
}

// MostTree bounds the nodes of a Tree: slots of more would take much memory.
const MostTree = 64

// treeSlotBytes is the maximum length of a message of a tree, less than libraries send over TCP
// without asking the receiver first, 64 KiB. Parcels of up to treeInlineBytes are included if they
// fit, as with 16 nodes: all parcels pass the root, but a message of their own takes longer than
// that.
const (
	treeSlotBytes   = 60_000
	treeInlineBytes = 2048
)

// FoldBytes is the room in a message of a tree, in addition to its parcels, for folded data: with
// 16 nodes for 24 KiB from each, with 64 for 9 KiB.
const FoldBytes = 48 << 10

// NewTree has as many children for each node as keep it from sending more than
// 2 log2 Nodes + 2 messages.
func NewTree(nodes int) *Tree {
	t := &Tree{Nodes: nodes, Children: 2*bits.Len(uint(nodes-1)) + 1}
	most := 1
	for node := range nodes {
		size := t.size(node)
		most = max(most, size*(nodes-size))
	}
	room := HeadBytes + most*(LabelBytes+treeInlineBytes)
	t.SlotBytes, t.InlineBytes = divide(min(room, treeSlotBytes), most)
	t.SlotBytes += FoldBytes
	return t
}

// Edges returns the edges of a node, in its sending order.
func (t *Tree) Edges(node int) (all []Edge) {
	parent, size, children := t.find(node)
	for _, c := range children {
		all = append(all, Edge{Round: 0, Node: c.First, Receives: true})
	}
	if parent >= 0 {
		all = append(all, Edge{1, parent, true, true, (node + size) % t.Nodes, t.Nodes - size})
	}
	for _, c := range children {
		all = append(all, Edge{2, c.First, false, true, c.First, c.Count})
	}
	return all
}

// MostFolded returns the maximum number of bytes that a rank may contribute to a fold, where ranks
// has the ranks of each node: the contributions of a subtree fit into FoldBytes, with a label for
// each node and a record for each rank.
func (t *Tree) MostFolded(ranks []int) int {
	most := 1
	for _, e := range t.Edges(0) {
		below := 0
		for node := e.First; node < e.First+e.Count; node++ {
			below += ranks[node]
		}
		most = max(most, below)
	}
	return max(0, FoldBytes/most/Align*Align-LabelBytes-RecordBytes)
}

func (t *Tree) size(node int) int {
	_, size, _ := t.find(node)
	return size
}

// span is a subtree: its nodes.
type span struct{ First, Count int }

// find returns a node's parent, -1 for none, the number of nodes in its subtree, and its children's
// subtrees.
func (t *Tree) find(node int) (parent, size int, children []span) {
	parent = -1
	for at := (span{0, t.Nodes}); ; {
		children = t.divide(at)
		if at.First == node {
			return parent, at.Count, children
		}
		parent = at.First
		for _, c := range children {
			if node >= c.First && node < c.First+c.Count {
				at = c
			}
		}
	}
}

// divide divides a subtree without its root into the subtrees of its children, the larger ones
// first.
func (t *Tree) divide(s span) (children []span) {
	rest := s.Count - 1
	for first, left := s.First+1, min(t.Children, rest); left > 0; left-- {
		n := (rest + left - 1) / left
		children = append(children, span{first, n})
		first, rest = first+n, rest-n
	}
	return children
}
