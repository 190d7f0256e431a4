package sim

import (
	"slices"

	"github.com/migbsp/migbsp/rebalancer"
)

// balance is rescheduling in a simulated run: one controller for all processes, in the
// place of the many that a real run has, and messages between the hosts as they would
// send them.
type balance struct {
	controller *rebalancer.Controller
	platform   rebalancer.Platform // of hosts
	ranks      rebalancer.Platform // of their cores
	seats      *seats
	observed   rebalancer.Observation
	mark       float64 // when the last call ended
	steps      int     // since
	called     float64 // seconds that the last call took
	moved      float64 // and its moves
	fruitless  int     // calls in a row that moved nothing
	states     []rebalancer.RankState
	busy       []float64 // seconds of work of each host since the last call
	onHost     []int     // processes on each host
	gone       []bool    // hosts that give nothing
	received   received
	sites      map[string]int
}

// class is the class of the supersteps that end at a place of the program.
func (b *balance) class(site string) int {
	class, known := b.sites[site]
	if !known {
		class = len(b.sites)
		b.sites[site] = class
	}
	return class
}

// What deciding costs a manager, in operations: for each process and host, and for each
// change of the mapping that the strategy looks at. The figures are those of a machine
// of a billion operations per second, which is what speed 1 stands for elsewhere.
const (
	decisionEach   = 3000
	decisionChange = 300
)

func newBalance(platform rebalancer.Platform, c *Config) *balance {
	s := newSeats(c.Platform)
	ranks := s.ranks(c.Platform, platform)
	return &balance{
		controller: rebalancer.New(ranks, s.deal(c.Platform, c.Where), c.Balance), platform: platform, ranks: ranks, seats: s, sites: make(map[string]int),
		states: make([]rebalancer.RankState, len(s.host)), busy: make([]float64, len(platform.Ranks)),
		onHost: make([]int, len(platform.Ranks)), gone: make([]bool, len(platform.Ranks)),
	}
}

// reschedule observes the superstep that has ended, and makes a call if one is due.
func (s *simulation) reschedule(step int) error {
	b := s.balance
	b.steps++
	s.observe(step)
	if !b.controller.Due(step) || !s.worth(step) {
		return nil
	}
	at := s.m.now
	d, record, err := s.decide(step)
	if err != nil {
		return err
	}
	b.controller.Adopt(d)
	d = b.seats.ofHosts(d)
	b.called, b.moved = s.m.now-at, 0
	moves := make([]Move, len(d.Moves))
	for i, m := range d.Moves {
		moves[i] = Move{Pid: m.Pid, Host: m.To, Bytes: float64(m.Bytes)}
	}
	if b.moved, err = s.m.move(moves); err != nil {
		return err
	}
	b.mark, b.steps, b.fruitless = s.m.now, 0, b.fruitless+1
	if len(moves) > 0 {
		b.fruitless = 0
	}
	clear(b.busy)
	clear(s.m.full)
	clear(s.m.took)
	s.result.Calls++
	s.result.Moves += len(moves)
	s.result.Deciding += b.called
	s.result.Moving += b.moved
	if s.report.Call != nil {
		record.Decision, record.At, record.Took, record.Moved = d, at, b.called, b.moved
		s.report.Call(record)
	}
	return nil
}

// observe gives the controller what each process's rank would have measured.
func (s *simulation) observe(step int) {
	b, o := s.balance, &s.balance.observed
	b.received.sort(s.step.Messages, s.m.messages, len(s.m.where))
	o.Step, o.Count, o.Class = step, 1, b.class(s.step.Site)
	o.Processes = o.Processes[:0]
	for pid, work := range s.step.Work {
		host := s.m.where[pid]
		time := work / s.Platform.Hosts[host].Speed
		b.busy[host] += time / float64(s.Platform.Hosts[host].Cores)
		o.Processes = append(o.Processes, rebalancer.Measure{
			Pid: pid, Time: time, Span: s.m.done[pid] - s.record.At, Comm: b.received.comm[pid], Received: b.received.of(pid),
		})
	}
	b.controller.Observe(*o)
}

// received is what each process received in a superstep.
type received struct {
	all  []rebalancer.Traffic // by receiver, each's in the order of the messages
	ends []int                // in all, by receiver
	comm []float64            // seconds that each one's messages took
}

func (r *received) sort(sent []Message, carried []message, processes int) {
	r.all = slices.Grow(r.all[:0], len(sent))[:len(sent)]
	r.ends = slices.Grow(r.ends[:0], processes)[:processes]
	r.comm = slices.Grow(r.comm[:0], processes)[:processes]
	clear(r.ends)
	clear(r.comm)
	for _, m := range sent {
		r.ends[m.To]++
	}
	at := 0
	for pid, n := range r.ends {
		r.ends[pid], at = at, at+n
	}
	for i, m := range sent {
		r.all[r.ends[m.To]] = rebalancer.Traffic{Pid: int(m.From), Bytes: int64(m.Bytes)}
		r.ends[m.To]++
		r.comm[m.To] += carried[i].end - carried[i].begin
	}
}

// of is what one process received, nil if nothing.
func (r *received) of(pid int) []rebalancer.Traffic {
	from := 0
	if pid > 0 {
		from = r.ends[pid-1]
	}
	if from == r.ends[pid] {
		return nil
	}
	return r.all[from:r.ends[pid]:r.ends[pid]]
}

// decide lets the hosts talk to each other as they would, and comes to a decision.
func (s *simulation) decide(step int) (rebalancer.Decision, *CallRecord, error) {
	b := s.balance
	for rank, i := range b.seats.host {
		host := int(i)
		share, _ := s.Platform.Hosts[host].Share.At(s.m.now)
		b.gone[host] = share == 0
		b.states[rank] = rebalancer.RankState{
			Rank: rank, Available: s.m.available(host, b.mark), Drained: b.gone[host] && s.Balance.Moves(), Free: -1, Elapsed: s.m.now - b.mark, Steps: b.steps,
			Called: b.called, Moved: b.moved, Remaining: s.Workload.Steps() - step,
		}
	}
	report := b.controller.Report(b.states, func(pid int) rebalancer.Detail {
		return rebalancer.Detail{State: int64(s.step.state(s.Workload, pid)), Request: -1}
	})
	said := report.Size()
	snapshot, err := rebalancer.Merge(step, report)
	if err != nil {
		return rebalancer.Decision{}, nil, err
	}
	d := b.controller.Decide(snapshot)
	record := new(CallRecord)
	return d, record, s.talk(record, said, &d)
}
