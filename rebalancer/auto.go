package rebalancer

import "slices"

// autoDefinition is the default strategy: it looks for the mapping with the
// least predicted time, transfers included.
var autoDefinition = Definition{
	Name:   "auto",
	About:  "least predicted time of the supersteps to come, transfers included",
	Source: "migbsp",
	Parameters: []Parameter{
		{Name: "least", Default: 0.02, Min: 0, Max: 1, About: "part of the predicted time that must be saved, or nothing moves"},
		{Name: "effort", Default: 1, Min: 0, Max: 1000, About: "how long to search, relative to the default"},
	},
	New: newAutoStrategy,
}

// autoStrategy is a list schedule with local search over predicted supersteps.
type autoStrategy struct {
	least  float64
	effort float64
}

func newAutoStrategy(values map[string]float64) Strategy {
	s := autoStrategy{least: 0.02, effort: 1}
	if least, given := values["least"]; given {
		s.least = least
	}
	if effort, given := values["effort"]; given {
		s.effort = effort
	}
	return s
}

const (
	autoLarge  = 20000 // from so many processes on, fewer starts are made
	autoBudget = 20000 // changes that small instances are searched with, and again disturbed with
)

// Choose returns the moves of the best mapping found, or none if it does not
// save enough. Processes on drained ranks leave in any case, as far as others
// have room for them. Cost: about linear in processes times phases.
func (s autoStrategy) Choose(v View) ([]Move, []Verdict) {
	if len(v.Where) == 0 {
		return nil, nil
	}
	m := newAutoModel(v)
	stay := m.evacuated()
	where := stay
	if !m.hopeless(stay, s.least) {
		where = s.best(m, stay)
	}
	moves := m.moves(where)
	if !slices.Equal(where, stay) && !s.worthwhile(m, stay, moves) {
		where, moves = stay, m.moves(stay)
	}
	verdicts := m.explain(where, moves)
	return moves, verdicts
}

// hopeless tells that not even the lower bound would save enough.
func (m *autoModel) hopeless(where []int32, least float64) bool {
	if m.cost.horizon == 0 {
		return true
	}
	now := m.cost.step(where, m.trend)
	bound := m.weighted(m.lower) + m.cost.view.Platform.Barrier
	return now-bound < least*now || now <= bound
}

// worthwhile tells whether the moves save enough compared to what happens
// without them, by the exact prediction.
func (s autoStrategy) worthwhile(m *autoModel, stay []int32, moves []Move) bool {
	before := m.cost.rest(stay, m.trend)
	forced := 0.0
	if list := m.moves(stay); len(list) > 0 {
		forced = costTransfer(m.cost.view.Platform, list) + m.call
	}
	after := m.cost.forecast(moves, m.trend)
	trust := costTrust(m.cost.view.Memory)
	saved := trust*(before-after.After) + forced - after.Cost
	return saved > 0 && saved >= s.least*trust*before
}

// best is the mapping with the least total of several that are constructed and
// improved.
func (s autoStrategy) best(m *autoModel, stay []int32) []int32 {
	starts := m.starts(stay)
	budget := s.budget(m)
	var best autoSearch
	least := 0.0
	for _, where := range starts {
		search := autoSearch{plan: newAutoPlan(m, where), budget: budget / len(starts)}
		search.run()
		search.polish()
		if total := search.plan.total(); best.plan == nil || total < least*(1-searchEven) {
			best, least = search, total
		}
	}
	best.budget = budget
	best.shake()
	best.prune()
	return best.plan.where
}

// budget is how many changes the searches of a call may look at. It keeps their
// cost small beside that of gathering the instance, and about linear.
func (s autoStrategy) budget(m *autoModel) int {
	changes := autoBudget + float64(len(m.home))/2
	if !m.talk.silent() {
		changes *= 3
	}
	return int(s.effort * changes * 8 / float64(8+m.phases))
}

// starts are the mappings to improve: all that are made for a small instance,
// and the most promising for a large one.
func (m *autoModel) starts(stay []int32) [][]int32 {
	starts := [][]int32{stay}
	targets, shares := autoTargets, autoShares
	large := len(m.home) >= autoLarge
	if large {
		targets, shares = targets[:1], shares[1:2]
	} else {
		starts = append(starts, m.anew())
	}
	for _, target := range targets {
		starts = append(starts, m.shed(target))
	}
	if !m.talk.silent() {
		for _, share := range shares {
			starts = append(starts, m.clustered(share))
		}
	}
	if large {
		return starts[m.promising(starts):][:1]
	}
	return starts
}

// promising is the number of the start with the least total.
func (m *autoModel) promising(starts [][]int32) int {
	best, least := 0, 0.0
	for i, where := range starts {
		total := m.value * (m.cost.compute(where, m.trend, nil) + m.cost.communication(where))
		if moves := m.moves(where); len(moves) > 0 {
			total += costTransfer(m.cost.view.Platform, moves) + m.call
		}
		if i == 0 || total < least {
			best, least = i, total
		}
	}
	return best
}
