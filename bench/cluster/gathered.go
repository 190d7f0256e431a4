package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/ledger"
)

// gathered is how programs fare that one host would do sooner alone: what the runs took, and
// in the supersteps after the last move beside that host in the same supersteps, in each run
// of the last scenario.
func gathered(all []*result) frame.Table {
	t := frame.Table{
		Part: "gathered", Title: "Programs that one host alone does sooner: seconds, medians; after the last move those of each run and of one host in the same supersteps",
		Header: []string{"program", "off", "auto", "one host", "moves", "supersteps after them", "took", "one host", "ratio"}, Text: []int{0},
	}
	for _, r := range all {
		if !r.experiment.alone {
			continue
		}
		auto := len(scenarios) - 1
		var moves, steps, took, alone, ratios []string
		for i, run := range r.runs[auto] {
			count, here, there := sinceLastMove(run.history, r.alone[i])
			moves = append(moves, fmt.Sprint(run.moves))
			steps = append(steps, fmt.Sprint(count))
			took = append(took, seconds(here))
			alone = append(alone, seconds(there))
			ratios = append(ratios, fmt.Sprintf("%.2f", here/there))
		}
		lone := frame.Median(frame.Each(r.alone, elapsed))
		t.Add(strings.TrimPrefix(r.experiment.name, "gathering, "), seconds(r.seconds(0)), seconds(r.seconds(auto)), seconds(lone),
			list(moves), list(steps), list(took), list(alone), list(ratios))
	}
	return t
}

func seconds(s float64) string { return fmt.Sprintf("%.2f", s) }

func elapsed(h *ledger.History) float64 { return h.Whole().Elapsed }

func list(texts []string) string { return strings.Join(texts, ", ") }

// sinceLastMove is how many supersteps a run made after its last move, what they took there, and
// what the same supersteps took in another run.
func sinceLastMove(run, other *ledger.History) (steps int, here, there float64) {
	last := 0
	for _, m := range run.Moves {
		last = max(last, m.Step)
	}
	sum := func(h *ledger.History) (count int, total time.Duration) {
		for _, s := range h.Steps[firstAfter(h.Steps, last):] {
			count, total = count+s.Count, total+s.Total
		}
		return count, total
	}
	steps, took := sum(run)
	_, elsewhere := sum(other)
	return steps, took.Seconds(), elsewhere.Seconds()
}
