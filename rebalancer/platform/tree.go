package platform

// A Tree is the path of a message from a Set's manager, its first element, to the Set's other
// ranks.
type Tree []int

// treeDegree is the number of ranks to which each rank of a tree forwards a message. With half as many
// a large message arrives a third sooner, over links that carry one message at a time; but in a
// run each level is an exchange of all ranks, and the tree has half as many levels more.
const treeDegree = 8

// flatTree is the number of ranks up to which a manager sends to all directly: so many short messages
// take less than another exchange of all ranks.
const flatTree = 32

func (t Tree) degree() int {
	if len(t) <= flatTree+1 {
		return flatTree
	}
	return treeDegree
}

// Children returns the ranks to which the rank at an index of the tree forwards a message.
func (t Tree) Children(place int) []int {
	d := t.degree()
	return t[min(len(t), d*place+1):min(len(t), d*(place+1)+1)]
}

// Level returns the number of ranks that forward a message before the rank at an index has it.
func (t Tree) Level(place int) (n int) {
	for d := t.degree(); place > 0; place = (place - 1) / d {
		n++
	}
	return n
}

// Levels returns the largest Level, 0 if the tree has no other rank.
func (t Tree) Levels() int { return t.Level(len(t) - 1) }

// Trees returns the trees of a notice, by Set: from its manager to its other ranks, by rank, without
// the ranks for which out is true. A Set whose manager is -1 has none.
func (p *Platform) Trees(managers []int, out func(rank int) bool) []Tree {
	all := make([]Tree, len(managers))
	for set, manager := range managers {
		if manager >= 0 {
			all[set] = Tree{manager}
		}
	}
	for rank, is := range p.Ranks {
		if t := all[is.Set]; t != nil && rank != t[0] && !out(rank) {
			all[is.Set] = append(t, rank)
		}
	}
	return all
}
