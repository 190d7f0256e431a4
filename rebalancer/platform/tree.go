package platform

// A Tree is the way of a message from a Set's manager, which is the first, to the Set's other
// ranks.
type Tree []int

// treeDegree is to how many ranks each rank of a tree passes a message on. With half as many
// a large message arrives a third sooner, by links that carry one message at a time; but in a
// run each level is an exchange of all ranks, and there are half as many levels more.
const treeDegree = 8

// flatTree is how many others a manager tells by itself: so many short messages take less than
// another exchange of all ranks.
const flatTree = 32

func (t Tree) degree() int {
	if len(t) <= flatTree+1 {
		return flatTree
	}
	return treeDegree
}

// Children are those to whom the rank in a place of the tree passes a message on.
func (t Tree) Children(place int) []int {
	d := t.degree()
	return t[min(len(t), d*place+1):min(len(t), d*(place+1)+1)]
}

// Level is how many ranks pass a message on before the one in a place has it.
func (t Tree) Level(place int) (n int) {
	for d := t.degree(); place > 0; place = (place - 1) / d {
		n++
	}
	return n
}

// Levels is the largest Level, 0 where nobody is told anything.
func (t Tree) Levels() int { return t.Level(len(t) - 1) }

// Trees are the ways of a notice, by Set: from its manager to its other ranks, by rank, but for
// those that are left out. A Set whose manager is -1 has none.
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
