package search

import (
	"github.com/migbsp/migbsp/rebalancer/internal/cost"
	"github.com/migbsp/migbsp/rebalancer/platform"
)

// The price of moves begins at 1 and rises by priceRise until they are affordable, or priceMost is
// reached: at most six searches. A faster rise finds mappings that are further from the
// budget.
const (
	priceRise = 2
	priceMost = 32
)

const (
	// mostChanges are looked at in small instances, and as many to disturb them afterwards. More find
	// little: most instances of 100 processes end within it.
	mostChanges = 20000
	// leastChanges every search may look at: a small run's one chance.
	leastChanges = 100
	// hasty is the budget of changes below which few mappings are constructed and only the best is
	// improved, and hastyEach the same per process: it is about the number of changes needed to find
	// the best relief of a busy rank.
	hasty     = 2000
	hastyEach = 4
	// stake is the part of the time to come that a search may take. Looking at a change takes wordy
	// times as much where processes talk.
	stake = 0.001
	wordy = 1.5
)

// constructionCost is the cost of a construction per process and rank visited, in changes.
const constructionCost = 3

// changeWork is the work of evaluating a change, in seconds: half or double has the same effect
// as double or half of stake.
const changeWork = 1e-6

// Choice is the result of a search.
type Choice struct {
	Moves    []platform.Move // by pid
	Verdicts []platform.Verdict
	Looked   int // changes that were looked at
}

// Choose returns the moves of the best mapping found, or none if it does not save the
// part least of the predicted time; an infinite part disables the search. effort is the search
// effort relative to the default. Cost: about linear in processes times phases.
func Choose(in *Instance, least, effort float64) Choice {
	if len(in.Home) == 0 {
		return Choice{}
	}
	m := newInstance(in)
	where := m.Home
	if !m.hopeless(least) {
		where = m.affordable(effort)
	}
	moves := m.moves(where)
	if len(moves) > 0 && !m.worthwhile(where, moves, least) {
		where, moves = m.Home, nil
	}
	return Choice{Moves: moves, Verdicts: m.explain(where, moves), Looked: m.looked}
}

// affordable returns the best mapping whose moves are affordable. The search does not limit the cost of
// moves but gives it a price, which rises until the cost is within the limit (Lagrangian relaxation).
func (m *instance) affordable(effort float64) []int32 {
	budget := m.budget(effort)
	few := m.large() || budget < max(hasty, min(hastyEach*len(m.Home), mostChanges/2))
	starts := m.starts(few)
	for _, start := range starts.all() {
		placed := len(m.Home)
		if m.large() { // most of these mappings move few processes
			placed = len(m.moves(start))
		}
		m.looked += constructionCost * (placed + len(m.Usable))
	}
	for m.price = 1; ; m.price *= priceRise {
		where := m.best(budget, few, &starts)
		moves := m.moves(where)
		if m.price >= priceMost || len(moves) == 0 {
			return where
		}
		saved := float64(m.Horizon) * (m.step - m.stepOf(where))
		if m.Affordable == nil || m.Affordable(m.paid(moves), saved*m.Trust, where) {
			return where
		}
	}
}

// hopeless reports whether even the lower bound would save too little.
func (m *instance) hopeless(least float64) bool {
	if m.Horizon == 0 {
		return true
	}
	bound := m.weighted(m.lower) + m.Cost.Exchanged(m.Cost.Barriers()*cost.LeastBarrier(m.Cost.Platform))
	return m.step-bound < least*m.step || m.step <= bound
}

// worthwhile reports whether a mapping saves enough compared with the present one, by
// the exact prediction.
func (m *instance) worthwhile(where []int32, moves []platform.Move, least float64) bool {
	before := float64(m.Horizon) * m.step
	after := float64(m.Horizon) * m.stepOf(where)
	trust := m.Trust
	saved := trust*(before-after) - m.paid(moves)
	return saved > 0 && saved >= least*trust*before
}

// best is the mapping with the least total of several that are improved; in haste only the best of them is.
func (m *instance) best(budget int, few bool, starts *starts) []int32 {
	var best improver
	look := few && !m.large()
	least, margin, each := 0.0, searchEven, budget/(len(starts.near)+len(starts.anew))
	for i := range starts.all() {
		if i == len(starts.near) {
			margin = startMargin
		}
		search := improver{plan: starts.plan(m, i, look)}
		better := func() bool { return i == 0 || search.plan.Total() < least*(1-margin) }
		if i >= len(starts.near)+len(starts.anew) && !better() {
			continue
		}
		if !few {
			search.budget = each
			search.run()
			search.exhaustive()
			m.looked += each - search.budget
		}
		if better() {
			best, least = search, search.plan.Total()
		}
	}
	best.budget = budget
	if look {
		best.plan = newPlan(m, best.plan.where)
	}
	if few {
		best.run()
	} else {
		best.perturb()
	}
	best.prune()
	m.looked += budget - best.budget
	return best.plan.where
}

// budget returns the number of changes that the searches of a call may evaluate. It keeps their
// cost small compared with gathering the instance and with the time at stake,
// and about linear.
func (m *instance) budget(effort float64) int {
	changes, cost := mostChanges+float64(len(m.Home))/2, float64(changeWork)
	if !m.silent() {
		changes, cost = 3*changes, wordy*cost
	}
	changes *= 8 / float64(8+m.phases)
	slowest := 1.0
	for _, set := range m.Cost.Platform.Sets {
		slowest = min(slowest, m.Cost.Rates[set.Manager])
	}
	remaining := float64(m.Horizon) * m.step
	return int(effort * max(leastChanges, min(changes, stake*remaining*slowest/cost)))
}

// NewPlan is a plan that begins with a mapping.
func NewPlan(in *Instance, where []int32) *Plan { return newPlan(newInstance(in), where) }
