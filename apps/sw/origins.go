package main

import (
	"github.com/migbsp/migbsp/apps/sw/cells"
	"github.com/migbsp/migbsp/bsplib"
)

// origins say for the places of a block where their scores come from.
type origins struct {
	first int // number of the first row
	width int
	from  []byte
	last  []cells.Cell // the last row
}

// What a byte of origins says: where H comes from, and whether the gaps of E and F go on
// before this place. Pairs go before gaps in the target, these before gaps in the query,
// and short gaps before long ones.
const (
	fromNowhere = iota
	fromPair
	fromE
	fromF
	fromMask = 3
	longE    = 4
	longF    = 8
)

func (t *origins) at(row, column int) byte { return t.from[row*t.width+column] }

// retrace computes the part of a block again that ends with a row and with one of so many
// columns.
func (s *state) retrace(b *bsplib.Proc, p *parameters, until, width int) *origins {
	block := p.blockOf(until)
	from, _ := p.rows(block)
	rows, all := until+1-from, len(s.Row)
	t := &origins{first: from, width: width, from: make([]byte, rows*width), last: make([]cells.Cell, width)}
	for i := range t.last {
		t.last[i] = cells.Nothing
	}
	if block > 0 {
		copy(t.last, s.Rows[(block-1)*all:][:width])
	}
	first, _ := p.columns(b.Pid(), b.NProcs())
	target := p.target[first : first+width]
	corner := int32(0)
	for i := range rows {
		left := cells.Nothing
		if b.Pid() > 0 {
			left = s.Left[from+i]
			if i == 0 && from > 0 {
				corner = s.Left[from-1].H
			}
		}
		p.retraceRow(p.query[from+i], target, t.from[i*width:(i+1)*width], t.last, left, corner)
		corner = left.H
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
