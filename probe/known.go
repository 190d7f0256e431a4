package probe

import "time"

// This file verifies the links of an earlier run.

// knows reports whether the link between two Sets is known.
func (m *LinkMeter) knows(a, b int) bool { return m.known != nil && m.known[a][b].Measured() }

// unknown returns the rounds without the pairs whose links are known.
func (m *LinkMeter) unknown() (rounds [][]pair) {
	for _, round := range m.rounds {
		var pairs []pair
		for _, p := range round {
			if !m.knows(p.from, p.to) || !m.knows(p.to, p.from) {
				pairs = append(pairs, p)
			}
		}
		if len(pairs) > 0 || m.known == nil {
			rounds = append(rounds, pairs)
		}
	}
	return rounds
}

// complete reports whether all links of the meter are known.
func (m *LinkMeter) complete(known [][]Way) bool {
	if known == nil {
		return false
	}
	before := m.known
	m.known = known
	defer func() { m.known = before }()
	return len(m.unknown()) == 0
}

const (
	// agreeing is the relative error that a known latency may have.
	agreeing = 0.5
	// sameLatency is the absolute error, in seconds, that a busy rank explains.
	sameLatency = 1e-3
	// verifyTrips bounds the trips per link: a rank that waits for its core delays a trip.
	verifyTrips = 3
)

// verify compares each known link that this rank leads with a round trip between the managers of its Sets.
// The result has 1 for each link that differs, at the Sets' numbers as in forget. All ranks call it.
func (m *LinkMeter) verify(known [][]Way) (differs []int64, err error) {
	differs = make([]int64, m.sets*m.sets)
	var rounds [][]pair
	for _, round := range m.rounds {
		var pairs []pair
		for _, p := range round {
			if p.beside == 0 && known[p.from][p.to].Measured() {
				pairs = append(pairs, p)
			}
		}
		if len(pairs) > 0 {
			rounds = append(rounds, pairs)
		}
	}
	if len(rounds) == 0 {
		return differs, nil
	}
	return differs, m.inRounds(rounds, 0, "verify links", func(_ int, p pair, _ time.Duration) error {
		if m.comm.Rank() == p.follow {
			return m.follow(p.lead)
		}
		for range verifyTrips {
			took, err := m.timed(doPush, p.follow, 0)
			if err != nil {
				return err
			}
			off := took.Seconds()/2 - known[p.from][p.to].Latency
			within := agreeing*known[p.from][p.to].Latency + sameLatency
			if differs[p.from*m.sets+p.to] = 1; off <= within && off >= -within {
				differs[p.from*m.sets+p.to] = 0
				break
			}
		}
		return m.order(p.follow, doEnd, 0)
	})
}

// forget sets known links that differ to zero, in both directions, and reports whether any differs.
func forget(known [][]Way, differs []int64) (changed bool) {
	for i, is := range differs {
		if a, b := i/len(known), i%len(known); is != 0 {
			known[a][b], known[b][a], changed = Way{}, Way{}, true
		}
	}
	return changed
}
