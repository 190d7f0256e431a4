package cells

// MostLetters is the maximum number of letters in an alphabet.
const MostLetters = 32

// Scores is the scores of pairs of letters and of gaps.
type Scores struct {
	Pair   [MostLetters][MostLetters]int32 // from -128 to 127
	Open   int32                           // cost of a gap, in addition to its letters; at least 0
	Extend int32                           // cost of each letter of a gap; at least 1
}

// Columns is a part of the target, prepared for comparisons.
type Columns struct {
	open, extend int32 // of a gap's first letter, and of each other
	most         int32 // the largest score of a pair, or 0

	count int
	pairs [MostLetters][]int8 // of each letter with the target's, between margins
}

// Vector loads reach this far beyond columns on either side.
const (
	marginBefore = lanes
	marginBehind = 3 * lanes
)

// NewColumns makes columns of a part of the target, with an alphabet of the given number of
// letters.
func NewColumns(s *Scores, letters int, target []byte) *Columns {
	c := &Columns{open: s.Open + s.Extend, extend: s.Extend, count: len(target)}
	width := marginBefore + len(target) + marginBehind
	all := make([]int8, letters*width)
	for letter := range letters {
		var scores [MostLetters]int8
		for other, score := range s.Pair[letter][:letters] {
			c.most, scores[other] = max(c.most, score), int8(score)
		}
		c.pairs[letter], all = all[:width], all[width:]
		pairs := c.pairs[letter][marginBefore:][:len(target)]
		for j, t := range target {
			pairs[j] = scores[t%MostLetters]
		}
	}
	return c
}

// First returns the first count columns.
func (c *Columns) First(count int) *Columns {
	first := *c
	first.count = count
	return &first
}

// of returns the scores of a letter with some columns.
func (c *Columns) of(letter byte, from, to int) []int8 {
	return c.pairs[letter%MostLetters][marginBefore+from : marginBefore+to]
}
