package main

import (
	"math"

	"github.com/migbsp/migbsp/bsplib"
)

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
	_, nonzeros, _ := p.size()
	return bsplib.Work{Amount: 2 * nonzeros * float64(p.iterations), Unit: "flop", PerSecond: 1e9}
}

// memory returns the bytes of all processes. For a file it uses the head, which must fit
// the file's length, and allocates nothing to read it.
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
