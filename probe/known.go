package probe

import (
	"time"

	"github.com/migbsp/migbsp/mpi"
)

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

// verify compares each known link with a round trip between the managers of its Sets, and sets links that
// differ to zero. It reports whether any link differs. All ranks call it, and get the same.
func (m *LinkMeter) verify(known [][]Way) (changed bool, err error) {
	differs := make([]int64, m.sets*m.sets)
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
		return false, nil
	}
	err = m.inRounds(rounds, 0, "verify links", func(_ int, p pair, _ time.Duration) error {
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
	if err == nil {
		err = mpi.Combine(m.comm, mpi.Max, differs)
	}
	if err != nil {
		return false, err
	}
	for a := range m.sets {
		for b := range m.sets {
			if differs[a*m.sets+b] != 0 {
				known[a][b], known[b][a], changed = Way{}, Way{}, true
			}
		}
	}
	return changed, nil
}
