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
	New: newAutoStrategy, Banked: true,
}

// autoStrategy is a list schedule with local search over predicted supersteps.
type autoStrategy struct {
	least  float64
	effort float64
	looked int // changes that the last search looked at
}

func newAutoStrategy(values map[string]float64) Strategy {
	s := &autoStrategy{least: 0.02, effort: 1}
	if least, given := values["least"]; given {
		s.least = least
	}
	if effort, given := values["effort"]; given {
		s.effort = effort
	}
	return s
}

const (
	// autoBudget is how many changes small instances are searched with, and
	// disturbed with afterwards.
	autoBudget = 20000
	// autoStake is the part of the remaining time that a search may take, when
	// looking at a change is autoChange seconds of work, more where processes talk.
	autoStake  = 0.001
	autoChange = 1e-6
	autoWordy  = 1.5
	autoLeast  = 100
	// constructionCost is what a construction takes for each process and rank, in changes.
	constructionCost = 3
	// autoHasty is the budget below which few mappings are constructed, and only the
	// best is improved.
	autoHasty = 2000
)

// Choose returns the moves of the best mapping found, or none if it does not
// save enough. Processes on drained ranks leave in any case, as far as others
// have room for them. Cost: about linear in processes times phases.
func (s *autoStrategy) Choose(v View) ([]Move, []Verdict) {
	if len(v.Where) == 0 {
		return nil, nil
	}
	s.looked = 0
	m := newAutoModel(v)
	where := m.stay
	if !m.hopeless(s.least) {
		where = s.affordable(m)
	}
	moves := m.moves(where)
	if !slices.Equal(where, m.stay) && !s.worthwhile(m, moves) {
		where, moves = m.stay, m.moves(m.stay)
	}
	verdicts := m.explain(where, moves)
	return moves, verdicts
}

// affordable is the best mapping whose moves may be paid. The search has no limit on what
// moves cost but a price for it, which rises until they keep to it (Lagrangian relaxation).
func (s *autoStrategy) affordable(m *autoModel) []int32 {
	v := &m.cost.view
	for m.price = 1; ; m.price *= priceRise {
		where := s.best(m)
		moves := m.moves(where)
		if m.price >= priceMost || len(moves) == 0 {
			return where
		}
		saved := float64(m.cost.horizon) * (m.step - m.cost.step(where, m.trend))
		if v.Bank.allows(m.paid(moves), saved*costTrust(v.Learned), v.homeward(where)) {
			return where
		}
	}
}

// priceRise and priceMost are how fast the price of moves rises, and to what: at most 6
// searches. A faster rise finds mappings that are further from what may be paid.
const (
	priceRise = 2
	priceMost = 32
)

// searched is how many changes the last choice looked at.
func (s *autoStrategy) searched() int { return s.looked }

// hopeless tells that not even the lower bound would save enough.
func (m *autoModel) hopeless(least float64) bool {
	if m.cost.horizon == 0 {
		return true
	}
	bound := m.weighted(m.lower) + m.cost.barriers()*m.cost.view.Platform.leastBarrier(len(m.home))
	return m.step-bound < least*m.step || m.step <= bound
}

// worthwhile tells whether the moves save enough compared to what happens
// without them, by the exact prediction.
func (s *autoStrategy) worthwhile(m *autoModel, moves []Move) bool {
	before := float64(m.cost.horizon) * m.step
	after := m.cost.rest(costMoved(m.home, moves), m.trend)
	trust := costTrust(m.cost.view.Learned)
	saved := trust*(before-after) - m.paid(moves) + m.paid(m.moves(m.stay))
	return saved > 0 && saved >= s.least*trust*before
}

// paid is what moves cost, the call that decides on them included.
func (m *autoModel) paid(moves []Move) float64 {
	if len(moves) == 0 {
		return 0
	}
	return costTransfer(m.cost.view.Platform, moves) + m.call
}

// best is the mapping with the least total of several that are constructed and
// improved.
func (s *autoStrategy) best(m *autoModel) []int32 {
	budget := s.budget(m)
	starts, made := m.starts(budget < autoHasty)
	s.looked += constructionCost * made * (len(m.home) + len(m.fast))
	var best autoSearch
	least := 0.0
	for _, start := range starts {
		search := autoSearch{plan: newAutoPlan(m, start.where)}
		if budget >= autoHasty {
			search.budget = budget / len(starts)
			search.run()
			search.polish()
			s.looked += budget/len(starts) - search.budget
		}
		if total := search.plan.total(); best.plan == nil || total < least*(1-start.margin) {
			best, least = search, total
		}
	}
	best.budget = budget
	if budget < autoHasty {
		best.run()
	} else {
		best.shake()
	}
	best.prune()
	s.looked += budget - best.budget
	return best.plan.where
}

// budget is how many changes the searches of a call may look at. It keeps their
// cost small beside that of gathering the instance and beside what is at stake,
// and about linear.
func (s *autoStrategy) budget(m *autoModel) int {
	changes, cost := autoBudget+float64(len(m.home))/2, autoChange
	if !m.talk.silent() {
		changes, cost = 3*changes, autoWordy*cost
	}
	changes *= 8 / float64(8+m.phases)
	slowest := 1.0
	for _, set := range m.cost.view.Platform.Sets {
		slowest = min(slowest, m.cost.rates[set.Manager])
	}
	remaining := float64(m.cost.horizon) * m.step
	return int(s.effort * max(autoLeast, min(changes, autoStake*remaining*slowest/cost)))
}
