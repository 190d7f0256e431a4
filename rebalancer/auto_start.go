package rebalancer

const (
	startLarge  = 20000 // from so many processes on, fewer starts are made
	startMargin = 0.01  // by how much a mapping that moves nearly all must be better
)

// autoStart is a mapping to improve. What comes of it replaces what came of
// those before if its total is smaller by the margin.
type autoStart struct {
	where  []int32
	margin float64
}

// starts are the mappings to improve: all that are made for a small instance,
// and the most promising for a large one.
func (m *autoModel) starts() []autoStart {
	starts := []autoStart{{where: m.stay}}
	targets, shares := autoTargets, autoShares
	large := len(m.home) >= startLarge
	if large {
		targets, shares = targets[:1], shares[1:2]
	}
	for _, target := range targets {
		starts = append(starts, autoStart{where: m.shed(target), margin: searchEven})
	}
	if !m.talk.silent() {
		for _, share := range shares {
			starts = append(starts, autoStart{where: m.clustered(share), margin: startMargin})
		}
	}
	if large {
		return []autoStart{m.promising(starts)}
	}
	return append(starts, autoStart{where: m.anew(), margin: startMargin})
}

// promising is the start with the least total before it is improved; the first is
// to stay.
func (m *autoModel) promising(starts []autoStart) autoStart {
	best, least := starts[0], m.value*m.step+m.paid(m.moves(starts[0].where))
	for _, start := range starts[1:] {
		total := m.value*m.cost.step(start.where, m.trend) + m.paid(m.moves(start.where))
		if total < least*(1-start.margin) {
			best, least = start, total
		}
	}
	return best
}
