package live

import (
	"strings"

	"github.com/migbsp/migbsp/ledger"
)

// point is a superstep, or several, of the course of the run.
type point struct {
	workMax, workSum float64
	steps            int
	ranks            int
	moved            int // processes, after it
}

// longest returns the mean of the supersteps' longest work.
func (p point) longest() float64 { return p.workMax / float64(max(1, p.steps)) }

func (p point) imbalance() float64 {
	if p.workSum <= 0 {
		return 1
	}
	return p.workMax * float64(p.ranks) / p.workSum
}

// course returns the points of the run: its last supersteps, or all of it.
func (s *State) course(whole bool) []point {
	var points []point
	if whole {
		for _, w := range s.Account.Windows() {
			points = append(points, pointOf(&w.Step, w.Moved))
		}
		return points
	}
	for i := range s.recent {
		points = append(points, pointOf(&s.recent[i], s.movedAfter(s.recent[i].Last)))
	}
	return points
}

func pointOf(s *ledger.Step, moved int) point {
	return point{float64(s.WorkMax), float64(s.WorkSum), max(1, s.Count), s.Ranks, moved}
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

// merge adds up neighbours until there are no more than n points.
func merge(points []point, n int) []point {
	if len(points) <= n || n < 1 {
		return points
	}
	merged := make([]point, n)
	for i, p := range points {
		m := &merged[i*n/len(points)]
		m.workMax += p.workMax
		m.workSum += p.workSum
		m.steps += p.steps
		m.ranks = p.ranks
		m.moved += p.moved
	}
	return merged
}

// Levels of a curve, from the lowest.
const (
	bars      = "▁▂▃▄▅▆▇█"
	asciiBars = ".:-=+*#@"
)

// spark draws values as a curve of one line between low and the largest of them.
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
