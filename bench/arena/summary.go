package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/internal/shell"
)

// summary describes the savings in several cases, as parts of the time.
type summary struct {
	mean, median, worst float64
	lose3, lose10       int // cases that lose more than 3 % and 10 % of the time
}

// summarise returns the summary of at least one case.
func summarise(saved []float64) summary {
	list := slices.Sorted(slices.Values(saved))
	return summary{
		mean: frame.Mean(list), median: quantile(list, 0.5), worst: list[0],
		lose3: below(list, -0.03), lose10: below(list, -0.1),
	}
}

// standardError returns the standard error of the mean of some samples, infinite for
// fewer than two.
func standardError(samples []float64) float64 {
	n, mean, sum := float64(len(samples)), frame.Mean(samples), 0.0
	if n < 2 {
		return math.Inf(1)
	}
	for _, x := range samples {
		sum += (x - mean) * (x - mean)
	}
	return math.Sqrt(sum / (n - 1) / n)
}

// listed is the number of a strategy's worst cases that are listed.
const listed = 5

// worst returns a table of each strategy's worst cases, with the flags that run each case alone.
func (s *settings) worst(all []*contest) frame.Table {
	t := frame.Table{Title: "The worst cases, and the flags to run each again", Header: []string{"balance", "saved", "at most", "case", "flags"}, Text: []int{0, 3, 4}}
	for i, name := range s.balance {
		order := slices.SortedStableFunc(slices.Values(all), func(a, b *contest) int {
			return cmp.Compare(a.outcomes[i].saved, b.outcomes[i].saved)
		})
		for _, c := range order[:min(listed, len(order))] {
			t.Add(name, frame.Percent(c.outcomes[i].saved), frame.Percent(c.possible), c.entry.name(), s.alone(c.entry, name))
		}
	}
	return t
}

// alone returns the flags that run a case alone with a strategy.
func (s *settings) alone(e *entry, balance string) string {
	flags := fmt.Sprintf("-seeds %d-%d -each -balance %s", e.seed, e.seed, shell.Quote(balance))
	if s.second() {
		return "-loads " + s.loads.name + " " + flags
	}
	return fmt.Sprintf("-only %s -on %s %s", shell.Quote(e.kind), shell.Quote(e.platform), flags)
}

// record writes the savings of each case to the record of -o and -csv.
func (s *settings) record(session *frame.Session, all []*contest) {
	for _, c := range all {
		session.Record(c.entry.name(), "without moves", "s", c.off)
		for _, r := range s.rivals() {
			session.Record(c.entry.name(), r.name, "part saved", r.saved(c))
		}
	}
}
