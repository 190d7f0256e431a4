package cost

// MaxTree stores non-negative values by index and maintains the largest. Setting a
// value costs the logarithm of their number. Of equal values the first counts as the
// larger.
type MaxTree struct {
	Values []float64 // and as many of 0 as make their number a power of two
	best   []int32   // best[1] is the root, best[len(Values)+i] is i
}

// NewMaxTree has n values of 0.
func NewMaxTree(n int) MaxTree {
	leaves := 1
	for leaves < n {
		leaves *= 2
	}
	p := MaxTree{Values: make([]float64, leaves), best: make([]int32, 2*leaves)}
	for i := range p.Values {
		p.best[leaves+i] = int32(i)
	}
	p.Rebuild()
	return p
}

// Rebuild recomputes the tree after values were written directly.
func (p *MaxTree) Rebuild() {
	for node := len(p.Values) - 1; node >= 1; node-- {
		p.decide(node)
	}
}

// decide finds the best of those below a node.
func (p *MaxTree) decide(node int) {
	a, b := p.best[2*node], p.best[2*node+1]
	if p.Values[b] > p.Values[a] {
		a = b
	}
	p.best[node] = a
}

// Set changes one value.
func (p *MaxTree) Set(i int, value float64) {
	if p.Values[i] == value {
		return
	}
	p.Values[i] = value
	for node := (len(p.Values) + i) / 2; node >= 1; node /= 2 {
		before := p.best[node]
		p.decide(node)
		if p.best[node] == before && before != int32(i) {
			return
		}
	}
}

// Max is the largest value.
func (p *MaxTree) Max() float64 { return p.Values[p.best[1]] }

// First is the index of the largest value.
func (p *MaxTree) First() int { return int(p.best[1]) }

// Beside returns the largest value except those at a and b, 0 if there are no others.
func (p *MaxTree) Beside(a, b int) (most float64) {
	for i, j := len(p.Values)+a, len(p.Values)+b; i > 1; i, j = i/2, j/2 {
		if i == j || i/2 != j/2 {
			most = max(most, p.Values[p.best[i^1]], p.Values[p.best[j^1]])
		}
	}
	return most
}
