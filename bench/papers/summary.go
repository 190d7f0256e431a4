package main

import (
	"fmt"
	"math"
	"slices"
)

// summary gathers what a table shows as a whole.
type summary struct {
	off       []float64 // deviations of scenario i
	overheads []float64
	shares    []float64 // of what the bound allows
	published []float64 // the same of the published figures
	behind    []string  // cells where the best published strategy saves more
}

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

// notes say it in words.
func (s *summary) notes() []string {
	worst := 0.0
	for _, x := range s.off {
		worst = max(worst, math.Abs(x))
	}
	notes := []string{
		fmt.Sprintf("Scenario i is within %s of the published times, %s rms. Deciding with auto takes %s on average and %s at most.",
			percent(worst), percent(rms(s.off)), percent(mean(s.overheads)), percent(slices.Max(s.overheads))),
		fmt.Sprintf("auto reaches %s of what is possible after the first call, by the bound, on average, and %s at least; the published runs reach %s on average.",
			percent(mean(s.shares)), percent(slices.Min(append(s.shares, math.Inf(1)))), percent(mean(s.published))),
	}
	if len(s.behind) == 0 {
		return append(notes, "auto saves more than the best published strategy in every cell.")
	}
	for _, name := range s.behind {
		notes = append(notes, fmt.Sprintf("The published strategy saves more: %s.", name))
	}
	return notes
}
