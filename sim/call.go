package sim

import (
	"math"

	"github.com/migbsp/migbsp/rebalancer"
)

// Call simulates one rescheduling call at time 0, without its moves. Processes are at
// where, their reports have reported bytes together, a notice to the hosts has noticed
// bytes, and the call decides d. ranks is the result of p.Seen.
func Call(p *Platform, ranks rebalancer.Platform, where []int32, reported, noticed int, d *rebalancer.Decision) (*CallRecord, error) {
	s := &simulation{
		Config:  &Config{Platform: p, Where: where},
		m:       newMachine(p, where, Barrier{}),
		balance: &balance{platform: ranks, onHost: make([]int, len(p.Hosts)), gone: make([]bool, len(p.Hosts))},
	}
	record := new(CallRecord)
	if err := s.callTraffic(record, reported, noticed, d); err != nil {
		return nil, err
	}
	record.Took = s.m.now
	return record, nil
}

// callTraffic simulates the messages of a call: reports of reported bytes together go to
// the managers of Sets; managers exchange them, decide, and send a notice down the trees of
// their Sets; host 0, which keeps the account, gets the whole decision. Hosts with a share
// of 0 send no report, and managers do not wait for them: they use their last known
// reports.
func (s *simulation) callTraffic(record *CallRecord, reported, noticed int, d *rebalancer.Decision) error {
	b := s.balance
	clear(b.onHost)
	for _, host := range s.m.where {
		b.onHost[host]++
	}
	managers := b.managers()
	ofSet := make([]float64, len(managers)) // bytes of its reports
	var up, across []message
	for host, rank := range b.platform.Ranks {
		part := float64(reported) * (1 + float64(b.onHost[host])) / float64(len(b.onHost)+len(s.m.where))
		ofSet[rank.Set] += part
		if manager := managers[rank.Set]; host != manager && !b.gone[host] {
			up = append(up, message{from: host, to: manager, bytes: part})
		}
	}
	slowest := math.Inf(1)
	for i, from := range managers {
		if from < 0 {
			continue
		}
		slowest = min(slowest, s.Platform.Hosts[from].Speed)
		for _, to := range managers {
			if to >= 0 && from != to {
				across = append(across, message{from: from, to: to, bytes: ofSet[i]})
			}
		}
	}
	rounds := append([][]message{up, across}, b.down(managers, float64(noticed), d)...)
	for i, round := range rounds {
		if _, err := s.m.carry(round); err != nil {
			return err
		}
		if i == 1 {
			entries := len(s.m.where) + len(s.Platform.Hosts)
			many := max(0, entries-manyEntries)
			record.Deciding = (decisionEach*float64(entries-many) + decisionMany*float64(many) + decisionChange*float64(d.Searched)) / slowest
			s.m.now += record.Deciding
		}
	}
	record.count(len(s.Platform.Hosts), rounds...)
	return nil
}

// down returns the messages that send a decision to the hosts, by level of the Sets' trees.
func (b *balance) down(managers []int, noticed float64, d *rebalancer.Decision) (levels [][]message) {
	for _, tree := range b.platform.Trees(managers, func(host int) bool { return b.gone[host] }) {
		for place, from := range tree {
			level := tree.Level(place)
			for _, to := range tree.Children(place) {
				if level == len(levels) {
					levels = append(levels, nil)
				}
				m := message{from: from, to: to, bytes: noticed}
				if to == 0 {
					m.bytes += float64(d.Size())
				}
				levels[level] = append(levels[level], m)
			}
		}
	}
	return levels
}

// managers returns the host that manages each Set in a call: the Set's manager, or if its share is 0
// the first host with a positive share; -1 without such a host.
func (b *balance) managers() []int {
	all := make([]int, len(b.platform.Sets))
	for i, set := range b.platform.Sets {
		if all[i] = set.Manager; b.gone[set.Manager] {
			all[i] = -1
		}
	}
	for host, rank := range b.platform.Ranks {
		if all[rank.Set] < 0 && !b.gone[host] {
			all[rank.Set] = host
		}
	}
	return all
}

// count adds up the messages and bytes of all rounds, and of the host with most.
func (r *CallRecord) count(hosts int, rounds ...[]message) {
	messages, bytes := make([]int, hosts), make([]float64, hosts)
	for _, round := range rounds {
		for _, m := range round {
			r.Messages++
			r.Bytes += m.bytes
			for _, end := range [2]int{m.from, m.to} {
				messages[end]++
				bytes[end] += m.bytes
			}
		}
	}
	for host := range hosts {
		r.BusiestMessages = max(r.BusiestMessages, messages[host])
		r.BusiestBytes = max(r.BusiestBytes, bytes[host])
	}
}
