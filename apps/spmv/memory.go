package main

import "math"

// Bytes that a run takes at its peak, measured: for each nonzero, where process 0 reads
// and deals out all of them, and where each process makes its own; for each row, and for
// each further column of the grid; for each number of the vector that a process needs.
const (
	bytesRead, bytesMade = 80, 48
	bytesRow, bytesWider = 88, 48
	bytesNeeded          = 24
)

// memory is what all processes take. Of a file it believes the head, which must be true of
// the file's length, and takes no memory to read it.
func memory(procs int) int64 {
	p, g, err := read(procs)
	if err != nil {
		return 0
	}
	n, nonzeros, each := float64(p.n), float64(p.n)*float64(max(5, p.perRow())), float64(bytesMade)
	if p.file != "" {
		head, err := readMarketHead(p.file)
		if err != nil {
			return 0
		}
		n, nonzeros, each = float64(head.order), float64(head.nonzeros()), bytesRead
	}
	needed := min(float64(procs)*n/float64(g.cols), nonzeros)
	rows := n * float64(bytesRow+bytesWider*(g.cols-1))
	return int64(min(math.MaxInt64/2, each*nonzeros+rows+bytesNeeded*needed))
}
