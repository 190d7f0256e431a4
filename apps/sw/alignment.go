package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// alignment is the result: pieces from its beginning to its end.
type alignment struct {
	score      int32
	begin, end place
	pieces     []byte
}

// recount returns the score of the pieces, one by one, and whether they fill the space
// between beginning and end.
func (a *alignment) recount(p *parameters) (score int32, fits bool) {
	if len(a.pieces) == 0 {
		return 0, a.score == 0
	}
	row, column := int(a.begin.Row)-1, int(a.begin.Column)-1
	last := byte(pairOp)
	for _, piece := range a.pieces {
		if row >= len(p.query) && piece != targetOp || column >= len(p.target) && piece != queryOp {
			return score, false
		}
		switch {
		case piece == pairOp:
			score += p.scoring.Pair[p.query[row]][p.target[column]]
		case piece == last:
			score -= p.scoring.Extend
		default:
			score -= p.scoring.Open + p.scoring.Extend
		}
		if piece != targetOp {
			row++
		}
		if piece != queryOp {
			column++
		}
		last = piece
	}
	return score, row == int(a.end.Row) && column == int(a.end.Column)
}

// equal returns the number of pairs of equal letters, and of letters without a partner.
func (a *alignment) equal(p *parameters) (equal, gaps int) {
	row, column := int(a.begin.Row)-1, int(a.begin.Column)-1
	for _, piece := range a.pieces {
		switch piece {
		case pairOp:
			if p.query[row] == p.target[column] {
				equal++
			}
			row, column = row+1, column+1
		case queryOp:
			row, gaps = row+1, gaps+1
		default:
			column, gaps = column+1, gaps+1
		}
	}
	return equal, gaps
}

// identity returns the share of equal letters of the alignment.
func (a *alignment) identity(p *parameters) string {
	if len(a.pieces) == 0 {
		return "none"
	}
	equal, gaps := a.equal(p)
	return fmt.Sprintf("%d of %d (%.1f%%), gaps %d", equal, len(a.pieces), 100*float64(equal)/float64(len(a.pieces)), gaps)
}

// lineWidth is the number of pieces in a line of text.
const lineWidth = 60

// write prints the alignment in lines below each other: | is between equal letters, +
// between letters with a score above 0.
func (a *alignment) write(w io.Writer, p *parameters) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# query   %s, %d letters\n# target  %s, %d letters\n# score   %d, equal %s\n",
		p.queryName, len(p.query), p.targetName, len(p.target), a.score, a.identity(p))
	row, column := int(a.begin.Row)-1, int(a.begin.Column)-1
	for from := 0; from < len(a.pieces); from += lineWidth {
		var query, middle, target strings.Builder
		row0, column0 := row, column
		for _, piece := range a.pieces[from:min(from+lineWidth, len(a.pieces))] {
			x, y, mark := byte('-'), byte('-'), byte(' ')
			if piece != targetOp {
				x = p.scoring.letters[p.query[row]]
				row++
			}
			if piece != queryOp {
				y = p.scoring.letters[p.target[column]]
				column++
			}
			switch {
			case piece != pairOp:
			case x == y:
				mark = '|'
			case p.scoring.Pair[p.query[row-1]][p.target[column-1]] > 0:
				mark = '+'
			}
			query.WriteByte(x)
			middle.WriteByte(mark)
			target.WriteByte(y)
		}
		fmt.Fprintf(out, "\nquery  %9d %s %d\n                 %s\ntarget %9d %s %d\n",
			row0+1, query.String(), row, strings.TrimRight(middle.String(), " "), column0+1, target.String(), column)
	}
	return out.Flush()
}
