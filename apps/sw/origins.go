package main

import (
	"github.com/migbsp/migbsp/apps/sw/cells"
	"github.com/migbsp/migbsp/bsplib"
)

// origins has, for some cells of a block, the origins of their scores.
type origins struct {
	row, column int // the first ones
	width       int
	from        []byte
}

// window is the largest number of columns of origins for a number of rows: an alignment is
// seldom wider. Cells left of them are computed faster.
func window(rows int) int { return rows + 64 }

// The bits of a byte of origins: the origin of H, and whether the gaps of E and F began
// before this cell. Pairs go before gaps in the target, these before gaps in the query, and
// short gaps before long ones.
const (
	fromNowhere = iota
	fromPair
	fromE
	fromF
	fromMask = 3
	longE    = 4
	longF    = 8
)

// at returns the byte of a cell.
func (t *origins) at(row, column int) byte {
	return t.from[(row-t.row)*t.width+column-t.column]
}

// has reports whether the origins include a cell, or a neighbour above or left of it.
func (t *origins) has(row, column int) bool {
	return t != nil && row >= t.row && column >= t.column
}

// borders returns the cells around the part of a block that ends with a row and with one of
// width columns, and the number of its first row.
func (s *state) borders(b *bsplib.Proc, p *parameters, until, width int) (first int, above, left []cells.Cell, corner int32) {
	block := p.blockOf(until)
	first, _ = p.rows(block)
	above, left = make([]cells.Cell, width), make([]cells.Cell, until+1-first)
	if block > 0 {
		copy(above, s.Rows[(block-1)*len(s.Row):])
	} else {
		fill(above)
	}
	if b.Pid() == 0 {
		fill(left)
		return first, above, left, 0
	}
	copy(left, s.Left[first:])
	if first > 0 {
		corner = s.Left[first-1].H
	}
	return first, above, left, corner
}

// fill makes cells a border from which an alignment cannot continue.
func fill(border []cells.Cell) {
	for i := range border {
		border[i] = cells.Nothing
	}
}

// retrace computes the last columns of a part of a block again, which ends with a row and
// with one of width columns.
func (s *state) retrace(b *bsplib.Proc, p *parameters, columns *cells.Columns, until, width int) *origins {
	first, above, left, corner := s.borders(b, p, until, width)
	query, before := p.query[first:until+1], max(0, width-window(until+1-first))
	if before > 0 {
		next := above[before-1].H
		columns.First(before).Block(query, first, above[:before], left, left, corner, cells.Peak{})
		corner = next
	}
	from, _ := p.columns(b.Pid(), b.NProcs())
	target := p.target[from+before : from+width]
	t := &origins{row: first, column: before, width: len(target), from: make([]byte, len(query)*len(target))}
	for i, letter := range query {
		p.scoring.retraceRow(letter, target, t.from[i*t.width:][:t.width], above[before:], left[i], corner)
		corner = left[i].H
	}
	return t
}

// retraceRow computes one row below above, which it replaces, with its origins.
func (s *scoring) retraceRow(letter byte, target, origin []byte, above []cells.Cell, left cells.Cell, diagonal int32) {
	open, extend := s.Open+s.Extend, s.Extend
	h, e := left.H, left.Gap
	above, origin = above[:len(target)], origin[:len(target)]
	for j, t := range target {
		up := above[j]
		pair := diagonal + s.Pair[letter%cells.MostLetters][t%cells.MostLetters]
		longer, from := int32(0), int32(fromE)
		if e != h-open {
			longer = longE
		}
		if up.Gap != up.H-open {
			longer |= longF
		}
		h = max(pair, e, up.Gap, 0)
		if h == up.Gap {
			from = fromF
		}
		if h == pair {
			from = fromPair
		}
		if h == 0 {
			from = fromNowhere
		}
		origin[j] = byte(from | longer)
		e = max(h-open, e-extend)
		above[j] = cells.Cell{H: h, Gap: max(h-open, up.Gap-extend)}
		diagonal = up.H
	}
}
