// Life plays Conway's Game of Life on a board whose opposite edges meet. Each process has
// some of its rows.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/migbsp/migbsp/bsplib"
)

// The program's own flags; bsplib.Main adds those that all programs have.
var (
	size        = flag.Int("n", 256, "`number` of rows and of columns")
	generations = flag.Int("generations", 500, "`number` of generations; each is a stage")
)

func main() {
	bsplib.Main(life, bsplib.Options{CheckFlags: check, Description: `
Life plays Conway's Game of Life on a board whose opposite edges meet.`})
}

// check refuses flags that make no sense before anything runs.
func check(procs int) error {
	if *size < procs || *generations < 0 {
		return fmt.Errorf("-n %d -generations %d: expected a row for each of %d processes, and no negative numbers", *size, *generations, procs)
	}
	return nil
}

// state is all that a process takes along when it moves.
type state struct {
	// Rows are the process's own, 1 for a living cell, and one more at either end, which
	// its neighbours write.
	Rows bsplib.Area[byte]
}

// life runs on each process. One that has moved calls it anew, with its state, and goes on
// with the next stage.
func life(b *bsplib.Proc, s *state) error {
	if b.Fresh() {
		s.begin(b)
	}
	for range b.Stages(*generations) {
		s.send(b)
		b.Sync() // what was sent has arrived
		s.step()
	}
	return s.report(b)
}

// first returns the first row of a process. For pid procs it returns the end of the board.
func first(pid, procs int) int { return pid * *size / procs }

// begin fills the process's rows.
func (s *state) begin(b *bsplib.Proc) {
	from, end := first(b.Pid(), b.NProcs()), first(b.Pid()+1, b.NProcs())
	s.Rows = bsplib.Alloc[byte](b, (end-from+2)**size)
	for row := from; row < end; row++ {
		copy(s.own()[(row-from)**size:], scattered(row))
	}
	b.Sync() // now others may write to Rows
}

// scattered returns a row of the first generation.
func scattered(row int) []byte {
	random, cells := rand.New(rand.NewPCG(1, uint64(row))), make([]byte, *size)
	for column := range cells {
		cells[column] = byte(random.IntN(4) / 3)
	}
	return cells
}

// own returns the process's own rows.
func (s *state) own() []byte {
	rows := s.Rows.Slice()
	return rows[*size : len(rows)-*size]
}

// send writes the outermost rows to where the neighbours look for them.
func (s *state) send(b *bsplib.Proc) {
	n, p, own := *size, b.NProcs(), s.own()
	above, below := (b.Pid()+p-1)%p, (b.Pid()+1)%p
	s.Rows.Put(above, (first(above+1, p)-first(above, p)+1)*n, own[:n]...)
	s.Rows.Put(below, 0, own[len(own)-n:]...)
}

// step makes a generation of the one before.
func (s *state) step() {
	n, rows := *size, s.Rows.Slice()
	above, old := slices.Clone(rows[:n]), make([]byte, n)
	for at := n; at < len(rows)-n; at += n {
		row, below := rows[at:at+n], rows[at+n:at+2*n]
		copy(old, row)
		for x := range n {
			left, right := (x+n-1)%n, (x+1)%n
			row[x] = next(old[x], above[left]+above[x]+above[right]+old[left]+old[right]+below[left]+below[x]+below[right])
		}
		above, old = old, above
	}
}

// next returns the next state of a cell that has a number of living neighbours.
func next(cell, neighbours byte) byte {
	if neighbours == 3 || neighbours == 2 && cell == 1 {
		return 1
	}
	return 0
}

// report adds up the living cells of all processes, and their positions as a checksum.
func (s *state) report(b *bsplib.Proc) error {
	n, living, places := *size, 0, 0
	for i, cell := range s.own() {
		living += int(cell)
		places += int(cell) * (first(b.Pid(), b.NProcs())*n + i)
	}
	living, places = bsplib.Sum(b, living), bsplib.Sum(b, places)
	b.Report(bsplib.Result{
		Title: "Life", Size: fmt.Sprintf("%d x %d cells, %d generations", n, n, *generations),
		Details:  []bsplib.Detail{{Name: "living", Value: fmt.Sprint(living)}},
		Checksum: fmt.Sprintf("%016x", places),
	})
	return nil
}
