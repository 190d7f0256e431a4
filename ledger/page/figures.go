package page

import (
	"strconv"

	"github.com/migbsp/migbsp/ledger"
)

// figure is a figure of both runs.
type figure struct{ Name, A, B, Difference, Ratio string }

// figures are what two runs are judged by.
func figures(a, b *ledger.History) []figure {
	x, y := a.Summarize(a.End), b.Summarize(b.End)
	wholes := func(n int) string { return strconv.Itoa(n) }
	number := func(name string, x, y float64, show func(float64) string) figure {
		f := figure{name, show(x), show(y), signed(y-x, show), "-"}
		if x > 0 && y >= 0 {
			f.Ratio = factor(y / x)
		}
		return f
	}
	integer := func(name string, x, y int) figure {
		return number(name, float64(x), float64(y), func(v float64) string { return wholes(int(v)) })
	}
	size := func(v float64) string { return ledger.Bytes(int64(v)) }
	return []figure{
		number("elapsed", x.Elapsed, y.Elapsed, seconds),
		number("work of the slowest ranks", x.Budget.Work, y.Budget.Work, seconds),
		number("and on the best mapping, at least", x.Least, y.Least, seconds),
		number("unexplained", x.Budget.Unexplained, y.Budget.Unexplained, seconds),
		number("parallel efficiency", x.Efficiency.Parallel, y.Efficiency.Parallel, factor),
		integer("supersteps", x.Supersteps, y.Supersteps),
		integer("rescheduling calls", x.Calls.Calls, y.Calls.Calls),
		number("deciding", x.Calls.DecideTime, y.Calls.DecideTime, seconds),
		integer("moves", x.Calls.Moves, y.Calls.Moves),
		number("bytes moved", float64(x.Calls.Bytes), float64(y.Calls.Bytes), size),
		number("moving", x.Calls.MoveTime, y.Calls.MoveTime, seconds),
		number("saving predicted", x.Calls.Predicted, y.Calls.Predicted, seconds),
		number("saving measured", x.Calls.Realised, y.Calls.Realised, seconds),
	}
}

// signed prints a difference with its sign.
func signed(x float64, show func(float64) string) string {
	switch {
	case x == 0:
		return "0"
	case x < 0:
		return "−" + show(-x)
	}
	return "+" + show(x)
}
