package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/ledger"
)

// gathered is the table of programs that one host would finish sooner alone: the times of
// the runs, and for each run of the last scenario the time of the supersteps after its last
// move beside that host's time for them.
func gathered(all []*result) frame.Table {
	t := frame.Table{
		Part: "saved", Title: "Programs that one host alone does sooner: seconds, medians; since the last move those of each run and of one host in the same supersteps",
		Header: []string{"program", "off", "auto", "one host", "moves", "supersteps since", "auto since", "one host since", "ratio"}, Text: []int{0},
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
			took = append(took, twoDigits(here))
			alone = append(alone, twoDigits(there))
			ratios = append(ratios, twoDigits(here/there))
		}
		lone := frame.Median(frame.Each(r.alone, wholeTime))
		t.Add(strings.TrimPrefix(r.experiment.name, "gathering, "), twoDigits(r.seconds(0)), twoDigits(r.seconds(auto)), twoDigits(lone),
			joined(moves), joined(steps), joined(took), joined(alone), joined(ratios))
	}
	return t
}

func twoDigits(x float64) string { return fmt.Sprintf("%.2f", x) }

// wholeTime is the seconds of all supersteps.
func wholeTime(h *ledger.History) float64 { return h.Account.Whole().Elapsed }

func joined(texts []string) string { return strings.Join(texts, ", ") }

// sinceLastMove returns the number of a run's supersteps after its last move, their time,
// and the time of the same supersteps in another run.
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
