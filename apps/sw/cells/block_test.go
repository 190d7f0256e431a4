package cells

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// borders are the inputs of a block and, with the peak, its outputs.
type borders struct {
	above, side []Cell
	corner      int32
	peak        Peak
}

func (b *borders) clone() *borders {
	c := *b
	c.above, c.side = slices.Clone(b.above), slices.Clone(b.side)
	return &c
}

func (b *borders) equal(c *borders) bool {
	return slices.Equal(b.above, c.above) && slices.Equal(b.side, c.side) && b.peak == c.peak
}

// plain computes a block from the definitions, one cell after the other.
func (b *borders) plain(s *Scores, query, target []byte, first int) {
	for i, x := range query {
		next, diagonal := b.side[i].H, b.corner
		h, e := int32(0), b.side[i].Gap
		for j, y := range target {
			up := b.above[j]
			h = max(0, diagonal+s.Pair[x][y], e, up.Gap)
			e = max(h-s.Open, e) - s.Extend
			b.above[j] = Cell{h, max(h-s.Open, up.Gap) - s.Extend}
			diagonal = up.H
			if h >= b.peak.Score {
				b.peak = Peak{h, int32(first + i)}
			}
		}
		b.side[i], b.corner = Cell{h, e}, next
	}
}

// someScores returns scores for alphabets of few letters, with costs up to the largest that programs
// use.
func someScores(r *rand.Rand, most int) (s Scores, letters int) {
	letters = 2 + r.IntN(4)
	for i := range letters {
		for j := range letters {
			s.Pair[i][j] = int32(r.IntN(2*most+1) - most)
		}
		s.Pair[i][i] = int32(1 + r.IntN(most))
	}
	s.Open, s.Extend = int32(r.IntN(most+1)), int32(1+r.IntN(most))
	return s, letters
}

func sequence(r *rand.Rand, n, letters int) []byte {
	codes := make([]byte, n)
	for i := range codes {
		codes[i] = byte(r.IntN(letters))
	}
	return codes
}

// someBorders returns empty borders, or borders like a matrix has around a score.
func someBorders(r *rand.Rand, rows, columns int, s *Scores, around, apart int32) *borders {
	b := &borders{above: make([]Cell, columns), side: make([]Cell, rows), peak: Peak{r.Int32N(30), -1}}
	for _, line := range [][]Cell{b.above, b.side} {
		nothing, h := r.IntN(3) == 0, around
		for i := range line {
			line[i] = Nothing
			if !nothing {
				h = max(0, h+r.Int32N(2*apart+1)-apart)
				line[i] = Cell{h, h - s.Extend - r.Int32N(s.Open+1)}
			}
		}
	}
	b.corner = max(0, around+r.Int32N(2*apart+1)-apart)
	return b
}

func TestBlocks(t *testing.T) {
	onEachKernel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		try := func(rows, columns, most int, around, apart int32) {
			t.Helper()
			s, letters := someScores(r, most)
			query, target := sequence(r, rows, letters), sequence(r, columns, letters)
			from := someBorders(r, rows, columns, &s, around, apart)
			first := r.IntN(1000)
			want, got := from.clone(), from.clone()
			want.plain(&s, query, target, first)
			right := make([]Cell, rows)
			got.peak = NewColumns(&s, letters, target).Block(query, first, got.above, got.side, right, got.corner, got.peak)
			if !slices.Equal(got.side, from.side) {
				t.Fatalf("%d x %d: the column on the left has changed", rows, columns)
			}
			if got.side = right; !got.equal(want) {
				t.Fatalf("%d x %d, scores up to %d, around %d, %d apart:\n%v, want\n%v", rows, columns, most, around, apart, got, want)
			}
		}
		for rows := 1; rows <= 35; rows++ {
			for columns := 1; columns <= 40; columns++ {
				try(rows, columns, 3, 5, 2)
				try(rows, columns, 100, 3000, 300)
			}
		}
		for _, shape := range [][2]int{{1, 2000}, {2000, 1}, {16, 512}, {192, 513}, {193, 512}, {400, 1100}, {62, 1300}} {
			for _, around := range []int32{0, 1, 32000, 32767, 33000, 65535, 1e6, 1 << 29} {
				for _, apart := range []int32{0, 3, 200, 5000} {
					try(shape[0], shape[1], 11, around, apart)
					try(shape[0], shape[1], 100, around, apart)
				}
			}
		}
	})
}

// A block is the same in one piece and in four, and left may be right.
func TestPiecesOfBlocks(t *testing.T) {
	onEachKernel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for range 100 {
			s, letters := someScores(r, 8)
			rows, columns := 2+r.IntN(300), 2+r.IntN(700)
			query, target := sequence(r, rows, letters), sequence(r, columns, letters)
			whole := someBorders(r, rows, columns, &s, 50, 5)
			pieces := whole.clone()
			whole.peak = NewColumns(&s, letters, target).Block(query, 7, whole.above, whole.side, whole.side, whole.corner, whole.peak)

			row, column := 1+r.IntN(rows-1), 1+r.IntN(columns-1)
			a, b := NewColumns(&s, letters, target[:column]), NewColumns(&s, letters, target[column:])
			below, beside := pieces.side[row-1].H, pieces.above[column-1].H
			do := func(c *Columns, from, to int, above []Cell, corner int32) {
				pieces.peak = c.Block(query[from:to], 7+from, above, pieces.side[from:to], pieces.side[from:to], corner, pieces.peak)
			}
			do(a, 0, row, pieces.above[:column], pieces.corner)
			middle := pieces.above[column-1].H
			do(a, row, rows, pieces.above[:column], below)
			do(b, 0, row, pieces.above[column:], beside)
			do(b, row, rows, pieces.above[column:], middle)
			if !pieces.equal(whole) {
				t.Fatalf("%d x %d, cut at %d and %d", rows, columns, row, column)
			}
		}
	})
}

func BenchmarkBlock(b *testing.B) {
	var s Scores
	const letters = 20
	for i := range letters {
		for j := range letters {
			s.Pair[i][j] = -1
		}
		s.Pair[i][i] = 5
	}
	s.Open, s.Extend = 11, 1
	r := rand.New(rand.NewPCG(1, 1))
	for _, shape := range [][2]int{{1000, 1000}, {250, 1000}, {5, 2000}, {62, 2000}, {1000, 9}, {1000, 50}, {4000, 8000}} {
		b.Run(fmt.Sprintf("%dx%d/%s", shape[0], shape[1], Kernel()), func(b *testing.B) {
			rows, columns := shape[0], shape[1]
			query, c := sequence(r, rows, letters), NewColumns(&s, letters, sequence(r, columns, letters))
			above, side := make([]Cell, columns), make([]Cell, rows)
			for b.Loop() {
				c.Block(query, 0, above, side, side, 0, Peak{})
			}
			b.ReportMetric(float64(rows*columns)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mcells/s")
		})
	}
}
