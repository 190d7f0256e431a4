package forecast

import (
	"math"
	"slices"
)

// windowGain is the part of the error by which a shorter window must be better than a longer one,
// because a longer observation is more reliable.
const windowGain = 0.1

// windowNext is the number of columns that a window must predict together: a mapping stays until
// the next call.
const windowNext = 4

// leastTurns is the minimum number of supersteps of each of several classes in a window:
// one predicts nothing about the next (habits), and two or three little.
const leastTurns = 4

// The length of the window.
//
// The last superstep is the best predictor of work that changes suddenly, and
// the mean over many supersteps of noisy work. So the window of a forecast
// is chosen by its past errors on this run: for each number of columns w, the
// error with which their mean predicts the mean of the next columns of the same class,
//
//	error(w) = sum over c of sum over pid (mean of work(pid) in c-w..c-1 - mean in c..c+windowNext-1)^2
//
// for the c that all windows can predict, over a past as long as the columns reach. The mean
// minimizes squared errors; absolute errors favour the median, which ignores a few huge
// supersteps. If supersteps of several classes alternate, a window has the same number of each,
// at least leastTurns.

// window predicts that the coming supersteps resemble the last ones, over the window with the
// smallest error.
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

// windowError returns the error of a window over the later half of the columns. Near the
// beginning the window is shorter.
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
