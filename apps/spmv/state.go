package main

import (
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib"
)

// state is one process's part of the matrix and of the vectors.
type state struct {
	N        int
	Grid     distribution
	Row, Col int

	A       rows
	X, Y    []float64            // own numbers of the vectors
	Norm    float64              // of the last product
	Needed  bsplib.Area[float64] // numbers of x for A's columns
	Partial bsplib.Area[float64] // own numbers of A x from each process of the grid's row
	Wanted  []want               // of X, by others and by this process itself
	Began   time.Duration
}

// want is the request of a process for indices of X, in ascending order, at an offset of
// its Needed.
type want struct {
	Pid, Offset  int
	Places       []int32 // nil if it is the Count from First on
	First, Count int
}

// setUp deals out the matrix and finds the numbers that each process needs.
func (s *state) setUp(b *bsplib.Proc, p parameters, g grid) error {
	if err := s.divide(b, p, g); err != nil {
		return err
	}
	entries, err := s.entries(b, p)
	if err != nil {
		return err
	}
	s.ask(b, s.compress(entries).all())
	own := s.Grid.count(s.Row, s.Col)
	s.X, s.Y = make([]float64, own), make([]float64, own)
	for i := range s.X {
		s.X[i] = 1
	}
	if g.cols > 1 {
		s.Partial = bsplib.Alloc[float64](b, own*g.cols)
	}
	b.Sync()
	return nil
}

// divide finds the rows of each part; process 0 counts their nonzeros.
func (s *state) divide(b *bsplib.Proc, p parameters, g grid) error {
	bounds := make([]int, g.rows+1)
	if b.Pid() == 0 {
		var counts []int
		n, err := p.each(0, p.n, func(i, _ int, _ float64) {
			for len(counts) <= i {
				counts = append(counts, 0)
			}
			counts[i]++
		})
		if err != nil {
			return err
		}
		counts = append(counts, make([]int, n-len(counts))...)
		bounds = boundsOf(counts, g.rows)
	}
	bsplib.Broadcast(b, 0, bounds)
	s.N, s.Grid = bounds[g.rows], distribution{g.rows, g.cols, bounds}
	s.Row, s.Col = b.Pid()/g.cols, b.Pid()%g.cols
	return nil
}

// entries returns this process's nonzeros: made here, or read by process 0.
func (s *state) entries(b *bsplib.Proc, p parameters) (own []entry, err error) {
	d := &s.Grid
	if p.file == "" {
		_, err = p.each(d.Bounds[s.Row], d.Bounds[s.Row+1], func(i, j int, a float64) {
			if j%d.Cols == s.Col {
				own = append(own, entry{int32(i), int32(j), a})
			}
		})
		return own, err
	}
	all := make([][]entry, b.NProcs())
	if b.Pid() == 0 {
		if _, err := p.each(0, s.N, func(i, j int, a float64) {
			pid := d.at(d.row(i), j%d.Cols)
			all[pid] = append(all[pid], entry{int32(i), int32(j), a})
		}); err != nil {
			return nil, err
		}
	}
	return append(own, bsplib.AllToAll(b, all)[0]...), nil
}

// ask asks the processes that own the numbers of x for some columns to send them in each iteration.
// Numbers from one process are contiguous.
func (s *state) ask(b *bsplib.Proc, columns []int) {
	d := &s.Grid
	wanted := bsplib.NewQueue[int, int32](b)
	s.Needed = bsplib.Alloc[float64](b, len(columns))
	for first := 0; first < len(columns); {
		row := d.row(columns[first])
		var places []int32
		end := first
		for ; end < len(columns) && columns[end] < d.Bounds[row+1]; end++ {
			places = append(places, int32(d.local(row, columns[end])))
		}
		wanted.Send(d.at(row, s.Col), first<<32|b.Pid(), places...)
		first = end
	}
	b.Sync()
	for tag, places := range wanted.All() {
		w := want{Pid: tag & (1<<32 - 1), Offset: tag >> 32, First: int(places[0]), Count: len(places)}
		if int(places[w.Count-1]) != w.First+w.Count-1 {
			w.Places = slices.Clone(places)
		}
		s.Wanted = append(s.Wanted, w)
	}
}
