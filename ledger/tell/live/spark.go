package live

import (
	"strings"

	"github.com/migbsp/migbsp/ledger"
)

// longest returns the mean of the supersteps' longest work.
func longest(w *ledger.Window) float64 {
	return float64(w.Step.WorkMax) / float64(max(1, w.Step.Count))
}

// course returns the last supersteps of the run, or all of them.
func (s *State) course(whole bool) []ledger.Window {
	if whole {
		return s.Account.Windows()
	}
	var recent []ledger.Window
	for i := range s.recent {
		w := ledger.WindowOf(&s.recent[i])
		w.Moved = s.movedAfter(w.Step.Last)
		recent = append(recent, w)
	}
	return recent
}

// movedAfter returns the number of processes that moved after a superstep.
func (s *State) movedAfter(step int) int {
	for i := len(s.calls) - 1; i >= 0 && s.calls[i].Step >= step; i-- {
		if s.calls[i].Step == step {
			return s.calls[i].Moved
		}
	}
	return 0
}

// merge adds up adjacent windows until at most n are left.
func merge(all []ledger.Window, n int) []ledger.Window {
	if len(all) <= n || n < 1 {
		return all
	}
	merged := make([]ledger.Window, n)
	for i := range all {
		merged[i*n/len(all)].Merge(&all[i])
	}
	return merged
}

// Levels of a curve, from the lowest.
const (
	bars      = "▁▂▃▄▅▆▇█"
	asciiBars = ".:-=+*#@"
)

// spark draws values as a curve of one line, between low and the largest value.
func spark(values []float64, low float64, levels string) string {
	marks := []rune(levels)
	high := low
	for _, v := range values {
		high = max(high, v)
	}
	var b strings.Builder
	for _, v := range values {
		level := 0
		if high > low {
			level = int((v - low) / (high - low) * float64(len(marks)))
		}
		b.WriteRune(marks[max(0, min(level, len(marks)-1))])
	}
	return b.String()
}

// bar returns a share of width columns.
func bar(share float64, width int, full, rest string) string {
	n := max(0, min(width, int(share*float64(width)+0.5)))
	return strings.Repeat(full, n) + strings.Repeat(rest, width-n)
}
