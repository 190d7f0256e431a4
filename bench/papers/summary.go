package main

import (
	"fmt"
	"math"
)

// summary gathers what a table shows as a whole.
type summary struct {
	off       []float64 // deviations of scenario i
	overheads []float64
	shares    []float64 // of what the bound allows
	published []float64 // the same of the published figures
	behind    []string  // cells where the best published strategy saves more
}

func newSummary() *summary { return new(summary) }

// add takes in a cell with a first alpha, what the papers' best strategy saved there,
// and by how much scenario i deviates from theirs.
func (s *summary) add(c *cell, alpha int, off, published float64) {
	spec := withAlpha(ours, alpha)
	s.off = append(s.off, off)
	s.overheads = append(s.overheads, c.overhead(spec))
	saved := c.saved(spec)
	if possible := c.possible(c.first(spec, alpha)); possible > 0 {
		s.shares = append(s.shares, saved/possible)
	}
	if possible := c.possible(alpha); possible > 0 {
		if !math.IsNaN(published) {
			s.published = append(s.published, published/possible)
		}
	}
	if saved < published {
		s.behind = append(s.behind, fmt.Sprintf("%s, alpha %d: %s against %s", c.name, alpha, percent(published), percent(saved)))
	}
}

func (s *summary) write(w *output) {
	worst := 0.0
	for _, x := range s.off {
		worst = max(worst, math.Abs(x))
	}
	w.line("Scenario i is within %s of the published times, %s rms. Deciding with auto takes %s on average and %s at most.",
		percent(worst), percent(rms(s.off)), percent(mean(s.overheads)), percent(maximum(s.overheads)))
	w.line("auto reaches %s of what is possible after the first call, by the bound, on average, and %s at least; the published runs reach %s on average.",
		percent(mean(s.shares)), percent(-maximum(negated(s.shares))), percent(mean(s.published)))
	if len(s.behind) == 0 {
		w.line("auto saves more than the best published strategy in every cell.")
		return
	}
	for _, name := range s.behind {
		w.line("The published strategy saves more: %s.", name)
	}
}

func maximum(all []float64) float64 {
	most := math.Inf(-1)
	for _, x := range all {
		most = max(most, x)
	}
	return most
}

func negated(all []float64) []float64 {
	out := make([]float64, len(all))
	for i, x := range all {
		out[i] = -x
	}
	return out
}
