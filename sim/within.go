package sim

import (
	messages "github.com/migbsp/migbsp/internal/wire"
	"github.com/migbsp/migbsp/rebalancer"
)

// Within is a call that managers have decided within their Sets.
type Within struct {
	Decision rebalancer.Decision
	reported []int      // by Set: bytes of the reports to its manager
	rounds   [3][][]int // of messages between managers: bytes by sender and receiver
	looked   []int      // by Set: changes that its manager looked at
	members  []int      // by Set: its processes
	noticed  int        // bytes of what hosts are told
	// Whole says that the managers had to tell each other all reports, of so many bytes by Set.
	Whole []int
}

// Noticed is how many bytes hosts are told.
func (w *Within) Noticed() int { return w.noticed }

// DecideWithin has the managers of all Sets, in one place, make a call after so many steps. The
// controller is that of all processes; reports are by Set. timed is called with what
// each manager does, and does it; it may be nil.
func DecideWithin(c *rebalancer.Controller, step int, reports []rebalancer.Report, timed func(set int, work func())) (*Within, error) {
	if timed == nil {
		timed = func(_ int, work func()) { work() }
	}
	sets := len(reports)
	w := &Within{looked: make([]int, sets), members: make([]int, sets)}
	for round := range w.rounds {
		w.rounds[round] = make([][]int, sets)
		for from := range sets {
			w.rounds[round][from] = make([]int, sets)
		}
	}
	var council *rebalancer.Council
	timed(-1, func() { council = c.Council() })
	regions, openings := make([]*rebalancer.Region, sets), make([]rebalancer.Opening, sets)
	guests := make([][]rebalancer.Guests, sets)
	var err error
	for set := range sets {
		w.reported = append(w.reported, reports[set].Size())
		timed(set, func() {
			if regions[set], err = council.Region(set, step, 0, reports[set]); err != nil {
				return
			}
			var told [][]rebalancer.Guests
			openings[set], told = regions[set].Open()
			size := messages.Size(&openings[set])
			for to := range told {
				guests[to] = append(guests[to], told[to]...)
				w.rounds[0][set][to] = size + messages.Size(&told[to])
			}
		})
		if err != nil {
			return nil, err
		}
	}
	timed(-1, func() { council.Meet(openings) })
	if council.Whole() {
		return w, w.decideWhole(c, step, regions)
	}
	figures, come := make([]rebalancer.Figures, sets), make([][]rebalancer.Leaver, sets)
	for set, r := range regions {
		timed(set, func() {
			var leavers [][]rebalancer.Leaver
			figures[set], leavers = r.Share(guests[set])
			size := messages.Size(&figures[set])
			for to := range leavers {
				come[to] = append(come[to], leavers[to]...)
				w.rounds[1][set][to] = size + messages.Size(&leavers[to])
			}
		})
	}
	timed(-1, func() { council.Settle(figures) })
	choices := make([]rebalancer.Choice, sets)
	for set, r := range regions {
		timed(set, func() { choices[set] = r.Choose(come[set]) })
		w.looked[set], w.members[set] = choices[set].Looked, r.Processes()
		size := messages.Size(&choices[set])
		for to := range sets {
			w.rounds[2][set][to] = size
		}
	}
	timed(-1, func() {
		w.Decision = council.Conclude(choices)
		w.noticed = c.Notice(&w.Decision, func(int) bool { return false }).Size()
	})
	return w, nil
}

// decideWhole is the call of managers that had to tell each other all reports.
func (w *Within) decideWhole(c *rebalancer.Controller, step int, regions []*rebalancer.Region) error {
	var all []rebalancer.Report
	for _, r := range regions {
		all = append(all, r.Whole())
		w.Whole = append(w.Whole, all[len(all)-1].Size())
	}
	snapshot, err := rebalancer.Merge(step, all...)
	if err != nil {
		return err
	}
	w.Decision = c.Decide(snapshot)
	w.noticed = c.Notice(&w.Decision, func(int) bool { return false }).Size()
	return nil
}

// within lets the time of such a call pass.
func (s *simulation) within(record *CallRecord, w *Within) error {
	b := s.balance
	clear(b.onHost)
	for _, host := range s.m.where {
		b.onHost[host]++
	}
	managers := b.managers()
	processes, hosts := make([]int, len(managers)), make([]int, len(managers))
	for host, rank := range b.platform.Ranks {
		processes[rank.Set] += b.onHost[host]
		hosts[rank.Set]++
	}
	rounds := make([][]message, 1, 8)
	for host, rank := range b.platform.Ranks {
		set := rank.Set
		if manager := managers[set]; host != manager && !b.gone[host] {
			part := float64(w.reported[set]) * float64(1+b.onHost[host]) / float64(hosts[set]+processes[set])
			rounds[0] = append(rounds[0], message{from: host, to: manager, bytes: part})
		}
	}
	across := w.rounds[:]
	if w.Whole != nil {
		across = w.rounds[:1]
	}
	deciding := len(rounds) + len(across)
	for _, sizes := range across {
		rounds = append(rounds, between(managers, func(from, to int) int { return sizes[from][to] }))
	}
	if w.Whole != nil {
		rounds = append(rounds, between(managers, func(from, _ int) int { return w.Whole[from] }))
		deciding++
	}
	rounds = append(rounds, b.down(managers, float64(w.noticed), &w.Decision)...)
	for i, round := range rounds {
		if _, err := s.m.carry(round); err != nil {
			return err
		}
		if i == deciding-2 {
			record.Deciding = s.decidingWithin(managers, hosts, w)
			s.m.now += record.Deciding
		}
	}
	record.count(len(s.Platform.Hosts), rounds...)
	return nil
}

// between are messages of each manager to each other one, where there are managers.
func between(managers []int, bytes func(from, to int) int) (round []message) {
	for i, from := range managers {
		for k, to := range managers {
			if i != k && from >= 0 && to >= 0 {
				round = append(round, message{from: from, to: to, bytes: float64(bytes(i, k))})
			}
		}
	}
	return round
}

// decidingWithin is how long the manager takes that takes longest.
func (s *simulation) decidingWithin(managers, hosts []int, w *Within) (longest float64) {
	all := len(s.m.where) + len(s.Platform.Hosts)
	if w.Whole != nil {
		for _, host := range managers {
			if host >= 0 {
				longest = max(longest, (decisionEach*float64(all)+decisionChange*float64(w.Decision.Searched))/s.Platform.Hosts[host].Speed)
			}
		}
		return longest
	}
	for set, host := range managers {
		if host >= 0 {
			own := decisionEach*float64(w.members[set]+hosts[set]) + decisionChange*float64(w.looked[set])
			longest = max(longest, (own+decisionAll*float64(all))/s.Platform.Hosts[host].Speed)
		}
	}
	return longest
}
