package main

import (
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// steady is a run of ten supersteps that take as long as they are told, with moves after some.
func steady(each time.Duration, moves ...int) *ledger.History {
	h := new(ledger.History)
	for step := 1; step <= 10; step++ {
		h.Steps = append(h.Steps, ledger.Step{First: step, Last: step, Count: 1, At: time.Duration(step-1) * each, Total: each, WorkMax: each, Work: []time.Duration{each}})
		h.Account.Enter(&h.Steps[step-1])
	}
	for _, step := range moves {
		h.Moves = append(h.Moves, ledger.Move{Step: step})
	}
	return h
}

// What follows the last move is compared with the same supersteps elsewhere; programs that are
// not to be gathered are left out, as gathered ones are of what all hosts can save.
func TestGathered(t *testing.T) {
	one := gathering("./apps/some", "-n", "7")
	r := &result{experiment: &one, runs: make([][]run, len(scenarios)), speeds: map[string]float64{}}
	for range 2 {
		r.runs[0] = append(r.runs[0], run{seconds: 9})
		r.runs[len(scenarios)-1] = append(r.runs[len(scenarios)-1], run{seconds: 5, moves: 3, history: steady(30*time.Millisecond, 2, 4)})
		r.alone = append(r.alone, steady(20*time.Millisecond))
	}
	got := gathered([]*result{r, slowedResult()})
	if len(got.Rows) != 1 || strings.Join(got.Rows[0], "|") != "some -n 7|9.00|5.00|0.20|3, 3|6, 6|0.18, 0.18|0.12, 0.12|1.50, 1.50" {
		t.Errorf("%q", got.Rows)
	}
	if len(targets([]*result{r}).Rows) != 0 {
		t.Error("one host alone counts among what all hosts can save")
	}
}
