package probe

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/migbsp/migbsp/mpi"
)

// Way is what messages from one place to another take.
type Way struct {
	Latency float64 `json:"latency"`  // seconds, of the shortest message
	PerByte float64 `json:"per_byte"` // seconds more for each byte; 0: not found out
}

// Measured tells whether there is anything known of the way.
func (w Way) Measured() bool { return w.Latency > 0 }

// LinkMeter measures what messages take between the managers of Sets, and
// between two ranks of each Set, by sending some over the ranks of a run.
type LinkMeter struct {
	comm    mpi.Comm
	sets    int
	rounds  [][]pair
	partner atomic.Int64 // rank that this one is measuring with, -1 if none
	buffer  []byte
	now     func() time.Time
}

// pair are two ranks that send each other messages. from and to are their Sets.
type pair struct{ lead, follow, from, to int }

// NewLinkMeter is for ranks of the given Sets, each with the rank that is its
// manager. Within a Set its manager and a rank of another node measure, or of the
// same node if there is no other. All ranks give the same.
func NewLinkMeter(comm mpi.Comm, sets, managers []int) *LinkMeter {
	m := &LinkMeter{comm: comm, sets: len(managers), now: time.Now}
	m.partner.Store(-1)
	var within []pair
	for set, manager := range managers {
		if mate := mateOf(comm, sets, manager); mate >= 0 {
			within = append(within, pair{lead: manager, follow: mate, from: set, to: set})
		}
	}
	m.rounds = append(m.rounds, within)
	for _, round := range tournament(len(managers)) {
		var pairs []pair
		for _, p := range round {
			pairs = append(pairs, pair{lead: managers[p[0]], follow: managers[p[1]], from: p[0], to: p[1]})
		}
		m.rounds = append(m.rounds, pairs)
	}
	return m
}

// mateOf is another rank of a rank's Set, -1 if there is none.
func mateOf(comm mpi.Comm, sets []int, rank int) int {
	mate := -1
	for other, set := range sets {
		if other == rank || set != sets[rank] {
			continue
		}
		if comm.Node(other) != comm.Node(rank) {
			return other
		}
		if mate < 0 {
			mate = other
		}
	}
	return mate
}

// tournament pairs each of n with each other, in rounds in which each has one
// partner at most.
func tournament(n int) [][][2]int {
	even := n + n%2
	var rounds [][][2]int
	for round := range even - 1 {
		var pairs [][2]int
		for i := range even / 2 {
			a, b := (round+i)%(even-1), (round-i+even-1)%(even-1)
			if i == 0 {
				b = even - 1
			}
			if a < n && b < n {
				pairs = append(pairs, [2]int{min(a, b), max(a, b)})
			}
		}
		rounds = append(rounds, pairs)
	}
	return rounds
}

// Partner is the rank that this one is measuring with right now, -1 if none. It
// may be called by any goroutine.
func (m *LinkMeter) Partner() int { return int(m.partner.Load()) }

// Measure takes about as long as budget says, longer where links are so slow or
// so many that a few short messages over each take longer. All ranks call it,
// and get the same: the way from Set a to Set b in [a][b], and within a Set in
// [a][a]. Ways of Sets with one rank are left zero.
//
// Several pairs of Sets measure at the same time, so that a link that they share
// shows what it gives to each.
func (m *LinkMeter) Measure(budget time.Duration) ([][]Way, error) {
	figures := make([]int64, 2*m.sets*m.sets)
	each := budget / time.Duration(2*len(m.rounds))
	for _, round := range m.rounds {
		for _, p := range round {
			if err := m.take(p, each, figures); err != nil {
				return nil, fmt.Errorf("measuring the link of ranks %d and %d: %w", p.lead, p.follow, err)
			}
		}
	}
	if err := m.comm.Combine(mpi.Sum, figures); err != nil {
		return nil, fmt.Errorf("measuring links: %w", err)
	}
	ways := make([][]Way, m.sets)
	for a := range ways {
		ways[a] = make([]Way, m.sets)
		for b := range ways[a] {
			at := 2 * (a*m.sets + b)
			ways[a][b] = Way{Latency: float64(figures[at]) / unitsPerSecond, PerByte: float64(figures[at+1]) / unitsPerByte}
		}
	}
	return ways, nil
}

// Figures travel as whole numbers: a time in picoseconds, a time for a byte in
// attoseconds.
const (
	unitsPerSecond = 1e12
	unitsPerByte   = 1e18
)

// take is this rank's part in measuring a pair, and notes the figures on the
// rank that leads.
func (m *LinkMeter) take(p pair, each time.Duration, figures []int64) error {
	switch m.comm.Rank() {
	case p.follow:
		m.partner.Store(int64(p.lead))
		defer m.partner.Store(-1)
		return m.follow(p.lead)
	case p.lead:
		m.partner.Store(int64(p.follow))
		defer m.partner.Store(-1)
		there, back, err := m.lead(p.follow, each)
		m.note(figures, p.from, p.to, there)
		if p.from != p.to {
			m.note(figures, p.to, p.from, back)
		}
		return err
	}
	return nil
}

func (m *LinkMeter) note(figures []int64, from, to int, w Way) {
	at := 2 * (from*m.sets + to)
	figures[at] = max(1, int64(math.Round(w.Latency*unitsPerSecond)))
	figures[at+1] = int64(math.Round(w.PerByte * unitsPerByte))
}
