package main

import (
	"github.com/migbsp/migbsp/apps/sw/cells"
	"github.com/migbsp/migbsp/bsplib"
)

// The alignment is found from its end to its beginning. Only the borders of the matrix's
// blocks are kept; the blocks on the path, at most one for each row and column of blocks,
// are computed again, in part with the origin of each score.

// place is a pair of letters, of the query and of the target, both counted from 1; 0 is none.
type place struct{ Row, Column int32 }

// token is the point where the path continues: at the last column of the process that gets it, or
// none, if Row is 0. In is the matrix that contains the path.
type token struct {
	Row int32
	In  layer
}

// layer is one of the three matrices.
type layer int32

const (
	inH layer = iota
	inE
	inF
)

// Operations of an alignment: a pair of letters, or a letter of one sequence only.
const (
	pairOp   = 'M'
	queryOp  = 'I'
	targetOp = 'D'
)

// goBack finds the alignment, in one stage per process, because it may extend from the last process
// to the first.
func (s *state) goBack(b *bsplib.Proc, p *parameters) {
	columns := p.ready(b)
	for k := range b.Stages(b.NProcs()) {
		at := s.Token.Slice()[0]
		s.Token.Slice()[0] = token{}
		column := len(s.Row)
		if k == 0 {
			if at, column = s.find(b, p, columns); column > 0 {
				first, _ := p.columns(b.Pid(), b.NProcs())
				s.End = place{at.Row, int32(first + column)}
			}
		}
		if at.Row > 0 {
			s.follow(b, p, columns, at, column)
		}
	}
}

// find agrees on the process with the largest score: among equal scores the last row wins, then the
// last column. On that process it returns the position.
func (s *state) find(b *bsplib.Proc, p *parameters, columns *cells.Columns) (at token, column int) {
	type candidate struct {
		Peak cells.Peak
		Pid  int32
	}
	best := bsplib.Allreduce(b, candidate{s.Top, int32(b.Pid())}, func(a, b candidate) candidate {
		switch {
		case a.Peak.Score != b.Peak.Score:
			if a.Peak.Score > b.Peak.Score {
				return a
			}
			return b
		case a.Peak.Row > b.Peak.Row:
			return a
		}
		return b
	})
	s.Top = best.Peak
	if best.Pid != int32(b.Pid()) || best.Peak.Score <= 0 {
		return token{}, 0
	}
	row := int(best.Peak.Row)
	first, last, left, corner := s.borders(b, p, row, len(s.Row))
	columns.Block(p.query[first:row+1], first, last, left, left, corner, cells.Peak{})
	for column = len(s.Row); last[column-1].H != best.Peak.Score; column-- {
	}
	return token{best.Peak.Row + 1, inH}, column
}

// blockOf is the block that a row is in.
func (p *parameters) blockOf(row int) int {
	block := row * p.blocks / len(p.query)
	for {
		switch from, to := p.rows(block); {
		case row < from:
			block--
		case row >= to:
			block++
		default:
			return block
		}
	}
}

// follow follows the path through this process's columns, from row and column counted from
// 1, and passes the token on where the path leaves them.
func (s *state) follow(b *bsplib.Proc, p *parameters, columns *cells.Columns, at token, column int) {
	row := int(at.Row)
	var t *origins
	for row > 0 && column > 0 {
		if !t.has(row-1, column-1) {
			t = s.retrace(b, p, columns, row-1, column)
		}
		from := t.at(row-1, column-1)
		switch at.In {
		case inH:
			switch from & fromMask {
			case fromNowhere:
				s.beginAt(b, p, row, column)
				return
			case fromPair:
				s.Path = append(s.Path, pairOp)
				row, column = row-1, column-1
			case fromE:
				at.In = inE
			case fromF:
				at.In = inF
			}
		case inE:
			s.Path = append(s.Path, targetOp)
			column--
			if from&longE == 0 {
				at.In = inH
			}
		case inF:
			s.Path = append(s.Path, queryOp)
			row--
			if from&longF == 0 {
				at.In = inH
			}
		}
	}
	if row == 0 || b.Pid() == 0 {
		s.beginAt(b, p, row, column)
		return
	}
	s.Token.Put(b.Pid()-1, 0, token{int32(row), at.In})
}

// beginAt records that the alignment begins after a position.
func (s *state) beginAt(b *bsplib.Proc, p *parameters, row, column int) {
	first, _ := p.columns(b.Pid(), b.NProcs())
	s.Begin = place{int32(row + 1), int32(first + column + 1)}
}
