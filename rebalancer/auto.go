package rebalancer

import (
	"fmt"
	"math"

	"github.com/migbsp/migbsp/rebalancer/internal/search"
)

// autoDefinition is the default strategy. It searches for the mapping with the least predicted time,
// including transfers; see package search.
var autoDefinition = Definition{
	Name:   "auto",
	About:  "least predicted time of the supersteps to come, transfers included",
	Source: "migbsp",
	Parameters: []Parameter{
		{Name: "least", Default: 0.02, Min: 0, Max: 1, About: "part of the predicted time that must be saved, or nothing moves"},
		{Name: "risk", Default: 0.7, Min: 0, Max: 2, About: "part of the run that may be lost where all changes as soon as large states have moved"},
		{Name: "effort", Default: 1, Min: 0, Max: 1000, About: "how long to search, relative to the default"},
	},
	New: func(values map[string]float64) Strategy {
		return &autoStrategy{least: values["least"], effort: values["effort"]}
	}, Banked: true,
}

// worthWaiting is the share of the predicted time that moves must save to trigger a call as soon as the
// last leap is earned back.
const worthWaiting = 1.0 / 3

// autoStrategy is a list schedule with local search over predicted supersteps.
type autoStrategy struct {
	least  float64
	effort float64
	looked int    // mappings evaluated by the last choice
	dear   string // moves that the bank refused, as text; "" if none or if other moves were made
}

// Choose returns the moves of the best mapping found, or none if it does not save enough.
func (s *autoStrategy) Choose(v View) ([]Move, []Verdict) {
	m := newForecastModel(v)
	in, least, earned := m.instance(), s.least, 0
	if v.Bank != nil {
		earned = v.Bank.earned()
	}
	switch {
	case !v.Bank.broke():
	case earned == 0:
		least = math.Inf(1) // no moves are allowed, regardless of their saving
	default:
		least = max(least, worthWaiting)
	}
	in.Affordable = func(paid, saved float64, where []int32) bool {
		allowed := v.allows(paid, saved, where)
		if !allowed && earned > 0 && s.dear == "" && saved-paid >= worthWaiting*m.rest(v.Where) {
			v.Bank.ripe, v.Bank.Hope = v.Snapshot.Step+earned, saved
		}
		if !allowed && s.dear == "" {
			s.dear = fmt.Sprintf("%s would save %.3g s and cost %.3g s, more than may be risked for that", moveCount(len(v.between(v.Where, where))), saved, paid)
			if v.Bank.ripe > 0 {
				s.dear += fmt.Sprintf(" before superstep %d", v.Bank.ripe)
			}
		}
		return allowed
	}
	choice := search.Choose(in, least, s.effort)
	if s.looked = choice.Looked; len(choice.Moves) > 0 {
		s.dear = ""
	}
	for i := range choice.Verdicts {
		verdict := &choice.Verdicts[i]
		verdict.Potential = m.process(verdict.Pid).Best
	}
	return choice.Moves, choice.Verdicts
}

// instance returns the search problem for a better mapping.
func (m *costModel) instance() *search.Instance {
	v := &m.view
	n, ranks := len(v.Where), len(m.Rates)
	in := &search.Instance{
		Set:  &v.set.Or().Search,
		Cost: &m.Model, Work: m.Rows, Horizon: m.Horizon, Trust: v.trust(), Call: costCall(v.Snapshot.Ranks),
		Home: v.Where, Pinned: make([]bool, n), State: make([]int64, n), Free: make([]int64, ranks), Usable: make([]bool, ranks),
	}
	for pid := range n {
		in.Pinned[pid], in.State[pid] = m.process(pid).Pinned, m.process(pid).State
	}
	for r := range ranks {
		in.Free[r], in.Usable[r] = v.Snapshot.Ranks[r].Free, !v.drained(r) && v.Rates[r] > 0
	}
	return in
}
