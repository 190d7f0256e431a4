package cost

// MaxTree keeps values by index and knows the largest of them. Setting a
// value costs the logarithm of their number. Of equal values the first is the
// larger. There is at least one value.
type MaxTree struct {
	leaves int
	Values []float64
	best   []int32 // best[1] is the root, best[leaves+i] is i
}

// NewMaxTree has n values of 0.
func NewMaxTree(n int) MaxTree {
	p := MaxTree{leaves: 1, Values: make([]float64, n)}
	for p.leaves < n {
		p.leaves *= 2
	}
	p.best = make([]int32, 2*p.leaves)
	for i := range p.leaves {
		p.best[p.leaves+i] = -1
		if i < n {
			p.best[p.leaves+i] = int32(i)
		}
	}
	p.Rebuild()
	return p
}

// Rebuild makes the tree anew after values were written directly.
func (p *MaxTree) Rebuild() {
	for node := p.leaves - 1; node >= 1; node-- {
		p.best[node] = p.larger(p.best[2*node], p.best[2*node+1])
	}
}

// larger is the index of the larger value; -1 stands for none.
func (p *MaxTree) larger(a, b int32) int32 {
	switch {
	case b < 0:
		return a
	case a < 0 || p.Values[b] > p.Values[a] || (p.Values[b] == p.Values[a] && b < a):
		return b
	default:
		return a
	}
}

// Set changes one value.
func (p *MaxTree) Set(i int, value float64) {
	if p.Values[i] == value {
		return
	}
	p.Values[i] = value
	for node := (p.leaves + i) / 2; node >= 1; node /= 2 {
		before := p.best[node]
		p.best[node] = p.larger(p.best[2*node], p.best[2*node+1])
		if p.best[node] == before && before != int32(i) {
			return
		}
	}
}

// Max is the largest value.
func (p *MaxTree) Max() float64 { return p.Values[p.best[1]] }

// First is the index of the largest value.
func (p *MaxTree) First() int { return int(p.best[1]) }

// Beside is the largest value but those at a and b, 0 if there is no other.
func (p *MaxTree) Beside(a, b int) float64 {
	i, j, best := p.leaves+a, p.leaves+b, int32(-1)
	for ; i > 1; i, j = i/2, j/2 {
		if i/2 != j/2 {
			best = p.larger(p.larger(best, p.best[i^1]), p.best[j^1])
		} else if i == j {
			best = p.larger(best, p.best[i^1])
		}
	}
	if best < 0 {
		return 0
	}
	return p.Values[best]
}
