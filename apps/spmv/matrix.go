package main

import (
	"math"

	"github.com/migbsp/migbsp/apps/internal/numbers"
	"github.com/migbsp/migbsp/bsplib"
)

// each calls f with the nonzeros of rows first to below end, by rows; of a file with
// all nonzeros as they stand there. It returns the order of the matrix.
func (p parameters) each(first, end int, f func(i, j int, a float64)) (n int, err error) {
	switch {
	case p.file != "":
		return readMarket(p.file, f)
	case p.density > 0:
		p.random(first, end, f)
	default:
		p.laplacian(first, end, f)
	}
	return p.n, nil
}

func (p parameters) source() string {
	switch {
	case p.file != "":
		return p.file
	case p.density > 0:
		return "random matrix"
	}
	return "Laplacian"
}

// laplacian generates 4 on the diagonal, and -1 for each neighbour of a point of a square whose last
// rows may be missing.
func (p parameters) laplacian(first, end int, f func(i, j int, a float64)) {
	width := int(math.Ceil(math.Sqrt(float64(p.n))))
	for i := first; i < min(end, p.n); i++ {
		if i >= width {
			f(i, i-width, -1)
		}
		if i%width > 0 {
			f(i, i-1, -1)
		}
		f(i, i, 4)
		if i%width+1 < width && i+1 < p.n {
			f(i, i+1, -1)
		}
		if i+width < p.n {
			f(i, i+width, -1)
		}
	}
}

// perRow returns the number of nonzeros in each row of a random matrix.
func (p parameters) perRow() int {
	return int(math.Ceil(p.density * float64(p.n)))
}

// random generates a number in (0, 1] at a random position in each of some equal parts of each row.
func (p parameters) random(first, end int, f func(i, j int, a float64)) {
	parts := p.perRow()
	for i := first; i < min(end, p.n); i++ {
		at := numbers.Mix(numbers.Mix(p.seed) + uint64(i))
		for k := range parts {
			begin, next := k*p.n/parts, (k+1)*p.n/parts
			at = numbers.Mix(at)
			j := begin + int(at>>33)%(next-begin)
			at = numbers.Mix(at)
			f(i, j, 1-float64(at>>11)/(1<<53))
		}
	}
}

// Bytes that a run takes at its peak, measured: for each nonzero, if process 0 reads and
// deals out all of them, and if each process makes its own; for each row, and for each
// further column of the grid; for each number of the vector that a process needs.
const (
	bytesRead, bytesMade = 80, 48
	bytesRow, bytesWider = 88, 48
	bytesNeeded          = 24
)

// size returns the order of the matrix and the number of its nonzeros, if they are known
// before it is read or made.
func (p parameters) size() (order, nonzeros float64, err error) {
	if p.file == "" {
		return float64(p.n), float64(p.n) * float64(max(5, p.perRow())), nil
	}
	head, err := readMarketHead(p.file)
	if err != nil {
		return 0, 0, err
	}
	return float64(head.order), float64(head.nonzeros()), nil
}

// work is all products.
func work(procs int) bsplib.Work {
	p, _, _ := read(procs) // which check has found right
	order, nonzeros, _ := p.size()
	w := bsplib.Work{Amount: 2 * nonzeros * float64(p.iterations), Unit: "flop", PerSecond: 1e9}
	if p.file != "" {
		return w // the traffic depends on the file
	}
	const supersteps = 3 // of an iteration
	w.Supersteps = supersteps * p.iterations
	own := order / float64(procs)
	if k := float64(p.perRow()); k > 0 {
		w.Sent = 8 * float64(p.iterations) * min(order-own, k*own)
		return w
	}
	w.Sent = 8 * float64(p.iterations) * 2 * math.Sqrt(order)
	w.Partners = func(pid int) []int { return []int{pid - 1, pid + 1} }
	return w
}

// memory returns the bytes of all processes. For a file it uses the header, which must match the
// file's length, and allocates no memory to read it.
func memory(procs int) int64 {
	p, g, _ := read(procs) // which check has found right
	n, nonzeros, err := p.size()
	if err != nil {
		return 0
	}
	each := float64(bytesMade)
	if p.file != "" {
		each = bytesRead
	}
	needed := min(float64(procs)*n/float64(g.cols), nonzeros)
	rows := n * float64(bytesRow+bytesWider*(g.cols-1))
	return int64(min(math.MaxInt64/2, each*nonzeros+rows+bytesNeeded*needed))
}
