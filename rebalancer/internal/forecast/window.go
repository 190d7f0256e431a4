package forecast

import (
	"math"
	"slices"
)

// windowGain is the part of the error by which a shorter window must be better than a longer one:
// what is seen longer is surer.
const windowGain = 0.1

// windowNext is how many columns a window is to foretell, together: a mapping stays until the next call.
const windowNext = 4

// leastTurns is how many supersteps of each of several classes a window has at least: one says nothing of the next
// (habits), and two or three little.
const leastTurns = 4

// How far back to look.
//
// What processes did last says most of what they do next where work changes at once, and
// the mean over many supersteps where it is noisy. So the window that a forecast looks at
// is chosen by what it would have been worth on this run: of each number of columns w, the
// error with which their mean foretells that of the next columns of the same class,
//
//	error(w) = sum over c of sum over pid (mean of work(pid) in c-w..c-1 - mean in c..c+windowNext-1)^2
//
// for those c that all windows can foretell, over a past as long as the columns reach. Squares are least for the
// mean; distances are for the median, to which a few huge supersteps are nothing. Where supersteps of several
// classes take turns a window has as many of each, and leastTurns at least.

// window takes it that the supersteps to come are like the last ones, as many as foretell best.
func window(past *Series) (*Series, bool) {
	classes := past.ByClass()
	turn, shortest := len(classes), 1
	if turn > 1 {
		shortest = leastTurns * turn
	}
	best := past.Columns - past.Columns%turn
	least := past.windowError(best, classes)
	for w := best / 2; w >= shortest; w /= 2 {
		if w -= w % turn; w < shortest {
			break
		}
		if e := past.windowError(w, classes); e < least*(1-windowGain) {
			best, least = w, e
		}
	}
	return past.Part(past.Columns-best, past.Columns), true
}

// windowError is the error of a window over the later half of the columns. Those before a
// column that are fewer than the window are all there are.
func (m *Series) windowError(w int, classes [][]int) (sum float64) {
	for _, columns := range classes {
		for i, c := range columns {
			if c < m.Columns/2 {
				continue
			}
			like := slices.DeleteFunc(slices.Clone(columns[:i]), func(b int) bool { return b < c-w })
			if len(like) == 0 {
				return math.Inf(1)
			}
			next := columns[i:min(len(columns), i+windowNext)]
			for _, row := range m.Rows {
				off := meanOf(row, like) - meanOf(row, next)
				sum += off * off
			}
		}
	}
	return sum
}

// meanOf is the mean of some columns of a row.
func meanOf(row []float32, columns []int) (mean float64) {
	for _, c := range columns {
		mean += float64(row[c]) / float64(len(columns))
	}
	return mean
}
