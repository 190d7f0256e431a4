package sim

import (
	"math"
	"slices"
)

// owns finds flows by what links that are not shared let them have: a tree of least
// values.
type owns struct {
	leaves int
	least  []float64 // least[1] is the root, least[leaves+i] that of flow i
}

// load takes in the flows.
func (o *owns) load(flows []*flow) {
	for o.leaves = 1; o.leaves < len(flows); {
		o.leaves *= 2
	}
	o.least = slices.Grow(o.least[:0], 2*o.leaves)[:2*o.leaves]
	for i := range o.leaves {
		o.least[o.leaves+i] = math.Inf(1)
		if i < len(flows) {
			o.least[o.leaves+i] = flows[i].way.own
		}
	}
	for node := o.leaves - 1; node >= 1; node-- {
		o.least[node] = min(o.least[2*node], o.least[2*node+1])
	}
}

// below is the first flow that must do with less than a rate, -1 if there is none.
func (o *owns) below(rate float64) int {
	if !(o.least[1] < rate) {
		return -1
	}
	node := 1
	for node < o.leaves {
		if node *= 2; !(o.least[node] < rate) {
			node++
		}
	}
	return node - o.leaves
}

// remove takes a flow out.
func (o *owns) remove(i int) {
	node := o.leaves + i
	o.least[node] = math.Inf(1)
	for node /= 2; node >= 1; node /= 2 {
		o.least[node] = min(o.least[2*node], o.least[2*node+1])
	}
}
