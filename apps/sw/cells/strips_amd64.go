//go:build !purego && !noasm

package cells

import (
	"math"

	"golang.org/x/sys/cpu"
)

// lanes is the number of cells in a vector.
const lanes = 16

// hasVectors reports whether the processor has AVX2. Tests change it.
var hasVectors = cpu.X86.HasAVX2

// Kernel names the kernel in use: "AVX2" or "generic".
func Kernel() string {
	if hasVectors {
		return "AVX2"
	}
	return "generic"
}

// fewRows and fewColumns are the numbers of rows and of columns up to which code without vectors is
// as fast.
const (
	fewRows    = 4
	fewColumns = 8
)

// compute computes a tile and returns its peak: in parts, if its scores differ by too much.
func (t *tile) compute() Peak {
	if !hasVectors || len(t.query) <= fewRows || len(t.above) <= fewColumns {
		return t.generic()
	}
	low, high := t.bounds()
	if high-low <= math.MaxUint16 {
		return t.strips(low - math.MinInt16)
	}
	left, right := t.halves()
	return left.compute().or(right.compute())
}

// halves returns the left and the right half of a tile. The left half must be computed first.
func (t *tile) halves() (left, right tile) {
	half := len(t.above) / 2
	left, right = *t, *t
	left.above, right.above = t.above[:half], t.above[half:]
	right.column, right.corner = t.column+half, left.above[half-1].H
	return left, right
}

// line is cells of a row less a base, between margins.
type line struct {
	h, gap [lanes + tileColumns + lanes]int16
}

// strips computes a tile in strips of up to sixteen rows, with numbers less a base.
func (t *tile) strips(base int32) Peak {
	var lines [2]line
	above, below := &lines[0], &lines[1]
	for j, c := range t.above {
		above.h[lanes+j], above.gap[lanes+j] = less(c.H, base), less(c.Gap, base)
	}
	s := strip{columns: len(t.above), open: int16(t.columns.open), extend: int16(t.columns.extend), floor: less(0, base)}
	top, corner := Peak{Score: Never}, t.corner
	for from := 0; from < len(t.query); from += lanes {
		to := min(from+lanes, len(t.query))
		next := t.side[to-1].H
		s.rows, s.corner = to-from, less(corner, base)
		s.lines(above, below)
		s.sides(t.side[from:to], base)
		s.pair(t, t.query[from:to])
		stripAVX2(&s)
		for i := from; i < to; i++ {
			lane := to - 1 - i
			t.side[i] = Cell{int32(s.h[lane]) + base, int32(s.e[lane]) + base}
			top = top.or(Peak{int32(s.most[lane]) + base, int32(t.row + i)})
		}
		above, below, corner = below, above, next
	}
	for j := range t.above {
		t.above[j] = Cell{int32(above.h[lanes+j]) + base, int32(above.gap[lanes+j]) + base}
	}
	return top
}

// less returns a number less a base, or the minimum of int16 if that is larger.
func less(x, base int32) int16 { return int16(max(x-base, math.MinInt16)) }

// strip is some rows of a tile. Lane 0 is the last one, and the lane of each row is one
// column behind the lane of the row above it: in step k, lane i is in column k-rows+1+i.
// The assembly depends on this layout.
type strip struct {
	above, aboveGap *int16 // in the column of lane 0 in step 0
	below, belowGap *int16
	pairs           *[tileColumns + 2*lanes][lanes]int8 // of all lanes in each step

	rows, columns               int
	open, extend, floor, corner int16

	h, e [lanes]int16 // of the column on the left, then of the last one
	most [lanes]int16 // of each row

	room [tileColumns + 2*lanes][lanes]int8
}

func (s *strip) lines(above, below *line) {
	at := lanes - s.rows + 1
	s.above, s.aboveGap, s.below, s.belowGap = &above.h[at], &above.gap[at], &below.h[at], &below.gap[at]
}

func (s *strip) sides(left []Cell, base int32) {
	for i, c := range left {
		lane := len(left) - 1 - i
		s.h[lane], s.e[lane], s.most[lane] = less(c.H, base), less(c.Gap, base), math.MinInt16
	}
}

// pair lays out the scores of pairs as the strip needs them.
func (s *strip) pair(t *tile, query []byte) {
	var from [lanes]*int8
	for lane := range from {
		letter := query[max(0, len(query)-1-lane)]
		from[lane] = &t.columns.pairs[letter%MostLetters][marginBefore+t.column-len(query)+1+lane]
	}
	s.pairs = &s.room
	steps := s.columns + s.rows - 1
	pairsAVX2(&s.room, &from, (steps+lanes-1)/lanes)
}

// pairsAVX2 writes 16*count vectors, count > 0. Vector k contains the byte at offset k from each of the
// sixteen pointers in from.
//
//go:noescape
func pairsAVX2(to *[tileColumns + 2*lanes][lanes]int8, from *[lanes]*int8, count int)

// stripAVX2 computes a strip. It writes up to sixteen numbers beyond the columns at either end of below
// and belowGap.
//
//go:noescape
func stripAVX2(s *strip)
