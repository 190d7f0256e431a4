package main

import "fmt"

// result is the expected contents of the destination areas after a measure.
type result int

const (
	unchecked    result = iota
	fromLeft            // everywhere the words of the left-hand neighbour
	fromRight           // everywhere the words of the right-hand neighbour
	permuted            // the left-hand neighbour's, in the order of where
	oneWayPut           // the words of process 0, on its right-hand neighbour
	oneWayGet           // the words of that neighbour, on process 0
	aHalo               // a piece of each neighbour on the torus
	ofRoot              // the words of process 0
	greatestWord        // the words of the last process, which are the greatest
	ofAll               // the words that each process has for this process
)

// verify returns an error unless this process's destination area has the expected contents.
func (b *bench) verify(m measure) error {
	for pid, values := range b.came {
		copy(b.to[pid*m.n:], values)
	}
	b.came = nil
	for i := range m.words {
		at := i
		if m.result == permuted {
			at = b.where[i]
		}
		if want, known := b.want(m, i); known && b.to[at] != want {
			return fmt.Errorf("%s: word %d is %v, want %v", m.name, at, b.to[at], want)
		}
	}
	return nil
}

// want returns the expected i-th word of this process, and whether it should have got any.
func (b *bench) want(m measure, i int) (float64, bool) {
	switch m.result {
	case fromLeft, permuted:
		return word(b.left, i), true
	case fromRight:
		return word(b.right, i), true
	case oneWayPut:
		return word(0, i), b.left == 0
	case oneWayGet:
		return word(b.right, i), b.Pid() == 0
	case aHalo:
		return word(b.around[i/m.n^1], i), true
	case ofRoot:
		return word(0, i), true
	case greatestWord:
		return word(b.NProcs()-1, i), true
	case ofAll:
		return word(i/m.n, b.Pid()*m.n+i%m.n), true
	default:
		return 0, false
	}
}
