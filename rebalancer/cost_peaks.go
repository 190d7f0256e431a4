package rebalancer

// costPeaks keeps values by index and knows the largest of them. Setting a
// value costs the logarithm of their number. Of equal values the first is the
// larger. There is at least one value.
type costPeaks struct {
	leaves int
	values []float64
	best   []int32 // best[1] is the root, best[leaves+i] is i
}

func newCostPeaks(n int) costPeaks {
	p := costPeaks{leaves: 1, values: make([]float64, n)}
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
	p.rebuild()
	return p
}

// rebuild makes the tree anew after values were written directly.
func (p *costPeaks) rebuild() {
	for node := p.leaves - 1; node >= 1; node-- {
		p.best[node] = p.larger(p.best[2*node], p.best[2*node+1])
	}
}

// larger is the index of the larger value; -1 stands for none.
func (p *costPeaks) larger(a, b int32) int32 {
	switch {
	case b < 0:
		return a
	case a < 0 || p.values[b] > p.values[a] || (p.values[b] == p.values[a] && b < a):
		return b
	default:
		return a
	}
}

// set changes one value.
func (p *costPeaks) set(i int, value float64) {
	if p.values[i] == value {
		return
	}
	p.values[i] = value
	for node := (p.leaves + i) / 2; node >= 1; node /= 2 {
		before := p.best[node]
		p.best[node] = p.larger(p.best[2*node], p.best[2*node+1])
		if p.best[node] == before && before != int32(i) {
			return
		}
	}
}

// max is the largest value.
func (p *costPeaks) max() float64 { return p.values[p.best[1]] }

// first is the index of the largest value.
func (p *costPeaks) first() int { return int(p.best[1]) }

// beside is the index of the largest value but those at a and b, -1 if there is
// no other.
func (p *costPeaks) beside(a, b int) int {
	i, j, best := p.leaves+a, p.leaves+b, int32(-1)
	for i > 1 {
		if i == j {
			best = p.larger(best, p.best[i^1])
		} else if i/2 != j/2 {
			best = p.larger(p.larger(best, p.best[i^1]), p.best[j^1])
		}
		i, j = i/2, j/2
	}
	return int(best)
}
