package rounds

import "math/bits"

// Tree is the plan for nodes that share processors with each other, where it is the number of
// messages that counts: 2 (Nodes - 1) for all, of which Nodes log2 Nodes is the least that
// any Plan sends. Each node hears of its children, then tells its parent and hears from it,
// then tells its children. Parcels go up until they are above their node, and down from there.
//
// The nodes of a subtree have successive numbers, of which the root has the least, and those
// of the whole tree are 0 .. Nodes-1.
//
// What exchanges fold goes the same ways: up what each node gives, with what those below it give,
// to node 0, and from there down what has become of it, to all.
type Tree struct {
	Nodes, Children int
	SlotBytes       int // as in Plan, and FoldBytes
	InlineBytes     int
}

// Edge is the messages between a node and its parent or a child. Parcels for Count nodes from
// First on, with node 0 behind the last, are those that go along.
type Edge struct {
	Round, Node     int
	Receives, Sends bool // whether a message comes in this round, and goes
	First, Count    int
}

// MostTree bounds the nodes of a Tree: slots of more would take much memory.
const MostTree = 64

// treeSlotBytes is what a message of a tree can have, less than what libraries send over TCP
// without asking the receiver first, 64 KiB. Parcels of up to treeInlineBytes go along if there
// is room, as with 16 nodes: all that there is passes the root, but a message of its own takes
// longer than that.
const (
	treeSlotBytes   = 60_000
	treeInlineBytes = 2048
)

// FoldBytes is the room that a message of a tree has beside its parcels for what is folded:
// with 16 nodes for 24 KiB from each, with 64 for 9 KiB.
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

// Edges are the edges of a node, in the order in which it sends along them.
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

// MostFolded is how many bytes a rank may give to be folded, where ranks has the ranks of each
// node: what the ranks of a subtree give fits into FoldBytes, with a label for each node and a
// record for each rank.
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

// find returns a node's parent, -1 for none, how many nodes its subtree has, and its
// children's subtrees.
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
