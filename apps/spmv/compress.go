package main

import (
	"math/bits"
	"slices"
)

type entry struct {
	I, J int32
	A    float64
}

// compress builds A from its nonzeros. It returns the columns with nonzeros.
func (s *state) compress(entries []entry) *columnSet {
	d := &s.Grid
	order := func(x, y entry) int {
		if x.I == y.I {
			return int(x.J) - int(y.J)
		}
		if c := int(x.I)%d.Cols - int(y.I)%d.Cols; c != 0 {
			return c
		}
		return int(x.I) - int(y.I)
	}
	if !slices.IsSortedFunc(entries, order) {
		slices.SortStableFunc(entries, order)
	}
	columns := columnsOf(s.N, entries)
	s.A = rows{Starts: []int{0}, Columns: make([]int32, len(entries)), Values: make([]float64, len(entries))}
	for k, e := range entries {
		s.A.Columns[k], s.A.Values[k] = int32(columns.place(int(e.J))), e.A
	}
	k := 0
	for col := range d.Cols {
		for place := range d.count(s.Row, col) {
			for i := d.global(s.Row, col, place); k < len(entries) && int(entries[k].I) == i; k++ {
			}
			s.A.Starts = append(s.A.Starts, k)
		}
	}
	return columns
}

// columnSet is a set of columns, each with its rank among them.
type columnSet struct {
	words  []uint64 // a bit for each column
	before []int32  // columns in the words before
	len    int
}

func columnsOf(n int, entries []entry) *columnSet {
	c := &columnSet{words: make([]uint64, n/64+1), before: make([]int32, n/64+1)}
	for _, e := range entries {
		c.words[e.J/64] |= 1 << (e.J % 64)
	}
	for w, word := range c.words {
		c.before[w] = int32(c.len)
		c.len += bits.OnesCount64(word)
	}
	return c
}

// place returns the number of columns of the set below j.
func (c *columnSet) place(j int) int {
	return int(c.before[j/64]) + bits.OnesCount64(c.words[j/64]&(1<<(j%64)-1))
}

// all returns the columns in order.
func (c *columnSet) all() []int {
	list := make([]int, 0, c.len)
	for w, word := range c.words {
		for ; word != 0; word &= word - 1 {
			list = append(list, 64*w+bits.TrailingZeros64(word))
		}
	}
	return list
}
