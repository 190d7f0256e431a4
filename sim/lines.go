package sim

import (
	"github.com/migbsp/migbsp/rebalancer"
)

// lines measures links again during a run, as live ranks do: with messages over the simulated network
// at that time, which take time. It uses no other knowledge of the network.
//
// The initial links are exact. So lines measures only after an unexplained change of times, and then
// repeatedly until the links are as at the beginning.
type lines struct {
	watch rebalancer.LinkWatch
	first [][]rebalancer.Link
	now   rebalancer.Platform // of hosts
	last  float64             // when the last call ended
}

// measuringShare is the part of the time that measuring links may take, as in live runs.
const measuringShare = 0.005

// Bytes of the messages whose times are compared, and of a message with one word.
const (
	lineBytes = 32 << 10
	lineShort = 8 << 10
	lineWord  = 16
)

// rounds returns the pairs of hosts that measure at once: the managers of each two Sets,
// one pair after the other, then a Set's manager and another host of it; then neighbours.
func (l *lines) rounds() (between [][2]int, neighbours [][][2]int) {
	sets := l.now.Sets
	for a := range sets {
		if mate := l.mate(a); mate >= 0 {
			between = append(between, [2]int{sets[a].Manager, mate})
		}
		for b := range a {
			between = append(between, [2]int{sets[b].Manager, sets[a].Manager})
		}
	}
	return between, rebalancer.NeighbourRounds(len(l.now.Ranks))
}

// mate returns a host of a Set other than its manager, or -1.
func (l *lines) mate(set int) int {
	for host, rank := range l.now.Ranks {
		if rank.Set == set && host != l.now.Sets[set].Manager {
			return host
		}
	}
	return -1
}

// credit records a call, after which measuring links may be worthwhile, at once or at the next call.
func (b *balance) credit(now float64, d *rebalancer.Decision) {
	l := b.lines
	interval := 0.0
	if rebalancer.Impaired(l.first, &l.now) {
		interval = now - l.last
	}
	sets := len(l.now.Sets)
	if l.watch.Credit(interval, now+d.Forecast.After, d.UnexplainedTime, rebalancer.LeastLinkTime(&l.now, sets*(sets+1)/2+3)) {
		b.trigger.MeasureSoon()
	}
	l.last = now
}

// measureLinks measures links if the budget allows it.
func (s *simulation) measureLinks() error {
	b := s.balance
	l := b.lines
	if l.watch.Spend() == 0 {
		return nil
	}
	begin := s.m.now
	hosts, sets := len(l.now.Ranks), len(l.now.Sets)
	found := rebalancer.MeasuredLinks{Links: make([][]rebalancer.Link, sets)}
	for a := range found.Links {
		found.Links[a] = make([]rebalancer.Link, sets)
	}
	between, neighbours := l.rounds()
	for _, pair := range between {
		there, back, err := s.measurePairs([][2]int{pair})
		if err != nil {
			return err
		}
		from, to := l.now.Ranks[pair[0]].Set, l.now.Ranks[pair[1]].Set
		found.Links[from][to], found.Links[to][from] = there[0], back[0]
	}
	if len(neighbours) > 0 {
		lines := make([]float64, hosts)
		for _, round := range neighbours {
			there, back, err := s.measurePairs(round)
			if err != nil {
				return err
			}
			for i, pair := range round {
				slower := max(there[i].PerByte, back[i].PerByte)
				for _, host := range pair {
					if lines[host] == 0 || slower < lines[host] {
						lines[host] = slower
					}
				}
			}
		}
		found.Lines = lines
	}
	l.now.Links, l.now.Lines = l.watch.Corrected(&l.now, found)
	var ofRanks []float64
	if l.now.Lines != nil {
		for _, host := range b.cores.host {
			ofRanks = append(ofRanks, l.now.Lines[host])
		}
	}
	b.controller.Relink(l.now.Links, ofRanks)
	b.trigger.Measured(s.m.now - begin)
	l.watch.Took(s.m.now - begin)
	return nil
}

// measurePairs measures the routes in both directions between the hosts of each pair, all
// at once. A live run sends each message twice and takes the quicker one.
func (s *simulation) measurePairs(pairs [][2]int) (there, back []rebalancer.Link, err error) {
	measure := func(from, to int) (links []rebalancer.Link, err error) {
		var took [3][]float64
		for i, bytes := range []float64{lineWord, lineShort, lineBytes} {
			messages := make([]message, len(pairs))
			for k, pair := range pairs {
				messages[k] = message{from: pair[from], to: pair[to], bytes: bytes}
			}
			begin := s.m.now
			all, err := s.m.carry(messages)
			if err != nil {
				return nil, err
			}
			s.m.now += all // the second one of that size
			for k := range messages {
				took[i] = append(took[i], messages[k].end-begin)
			}
		}
		for k := range pairs {
			links = append(links, rebalancer.Link{Latency: took[0][k], PerByte: max(0, took[2][k]-took[1][k]) / (lineBytes - lineShort)})
		}
		return links, nil
	}
	if there, err = measure(0, 1); err == nil {
		back, err = measure(1, 0)
	}
	return there, back, err
}
