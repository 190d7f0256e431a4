package sim

import (
	"math"
	"slices"

	"github.com/migbsp/migbsp/rebalancer"
)

// balance is rescheduling in a simulated run: one controller for all processes and one
// trigger for all ranks, instead of one of each per rank in a real run, and messages
// between the hosts as they would send them. Each superstep is a stage, and the run is one
// loop of them.
type balance struct {
	controller *rebalancer.Controller
	trigger    *rebalancer.Trigger
	platform   rebalancer.Platform // of hosts
	cores      *cores
	vote       rebalancer.Vote // of all ranks, on the present superstep
	observed   []rebalancer.Measure
	states     []rebalancer.RankState
	busy       []float64 // seconds of work of each rank since the last call
	slow       computed  // of the hosts until stages became slow
	onHost     []int     // processes on each host
	gone       []bool    // hosts whose share is 0
	managed    []int     // by Set: its manager at the last call
	received   received
	lines      *lines
	sites      map[string]int
}

// class returns the class of the supersteps that end at a site of the program.
func (b *balance) class(site string) int {
	class, known := b.sites[site]
	if !known {
		class = len(b.sites)
		b.sites[site] = class
	}
	return class
}

// Operations of a manager for a decision: for each process and host; decisionMany for pairs beyond
// the first manyEntries, where the fixed cost of a call no longer counts; and for each change of the
// mapping considered by the strategy. They were measured on a machine of about Reference, a billion
// operations per second.
const (
	decisionEach   = 3000
	decisionMany   = 1500
	manyEntries    = 20000
	decisionChange = 300
)

func newBalance(platform rebalancer.Platform, c *Config) *balance {
	s := newCores(c.Platform)
	controller := rebalancer.New(s.ranks(c.Platform, platform), s.deal(c.Platform, c.Where), c.Balance)
	controller.Relink(platform.Links, nil)
	return &balance{
		controller: controller, trigger: rebalancer.NewTrigger(controller, 0), platform: platform, cores: s, sites: make(map[string]int),
		states: make([]rebalancer.RankState, len(s.host)), busy: make([]float64, len(s.host)),
		onHost: make([]int, len(platform.Ranks)), gone: make([]bool, len(platform.Ranks)),
		lines: &lines{watch: rebalancer.LinkWatch{Share: measuringShare}, first: platform.Links, now: platform},
	}
}

// vote casts the vote of all ranks before the barrier of the superstep that begins, by
// their knowledge of the supersteps before it. It differs only in how busy they are, and
// the vote of the idlest suffices; a rank without processes does not count.
func (s *simulation) vote(step int) {
	b, idlest := s.balance, math.Inf(1)
	for _, rank := range b.controller.Where() {
		idlest = min(idlest, b.busy[rank])
	}
	b.vote = b.trigger.Vote(s.m.now, idlest, s.Workload.Steps()-step, 0)
}

// reschedule observes the superstep that has ended, and makes a call if one is due or
// asked for.
func (s *simulation) reschedule(step int) error {
	b := s.balance
	s.observe()
	if b.trigger.StageEnded(s.m.now, b.class(s.step.Site), b.vote) {
		b.slow = s.m.computed.clone()
	}
	if !b.vote.Alarm && !b.trigger.Due(b.vote, step == s.Workload.Steps()) {
		return nil
	}
	at := s.m.now
	if err := s.measureLinks(); err != nil {
		return err
	}
	begun := s.m.now
	d, record, err := s.decide(step)
	if err != nil {
		return err
	}
	b.controller.Adopt(d)
	d = b.cores.ofHosts(d)
	called := s.m.now - begun
	b.credit(s.m.now, &d)
	moves := make([]Move, len(d.Moves))
	for i, m := range d.Moves {
		moves[i] = Move{Pid: m.Pid, Host: m.To, Bytes: float64(m.Bytes)}
	}
	moved, err := s.m.move(moves)
	if err != nil {
		return err
	}
	b.trigger.Called(s.m.now, called, moved, len(moves))
	clear(b.busy)
	s.m.computed.clear()
	b.slow = computed{}
	s.result.Calls++
	s.result.Moves += len(moves)
	s.result.Deciding += begun - at + called
	s.result.Moving += moved
	if s.report.Call != nil {
		record.Decision, record.At, record.Took, record.Moved = d, at, begun-at+called, moved
		s.report.Call(record)
	}
	return nil
}

// observe passes the controller the figures that each process's rank would have measured.
func (s *simulation) observe() {
	b := s.balance
	b.received.sort(s.step.Messages, s.m.messages, len(s.m.where))
	b.trigger.Superstep()
	b.trigger.Ended(s.m.now)
	o, watched := b.trigger.Close()
	o.Class, o.Overlap, o.Processes = b.class(s.step.Site), true, b.observed[:0]
	ranks := b.controller.Where()
	for pid, work := range s.step.Work {
		time := work / s.Platform.Hosts[s.m.where[pid]].Speed
		b.busy[ranks[pid]] += time
		o.Processes = append(o.Processes, rebalancer.Measure{
			Pid: pid, Time: time, Span: s.m.done[pid] - s.record.At, Comm: b.received.comm[pid], Received: b.received.of(pid),
		})
	}
	if b.observed = o.Processes; watched {
		b.controller.Observe(o)
	}
}

// received contains the messages that each process received in a superstep.
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

// of returns the messages of one process, or nil.
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

// decide makes a decision as the hosts would, with the traffic between them.
func (s *simulation) decide(step int) (rebalancer.Decision, *CallRecord, error) {
	b := s.balance
	known := b.trigger.State(s.m.now, s.Workload.Steps()-step, b.vote.Alarm)
	since, slow := b.trigger.Since(b.vote.Alarm)
	var before computed
	if slow {
		before = b.slow
	}
	for rank, i := range b.cores.host {
		host := int(i)
		share, _ := s.Platform.Hosts[host].Share.At(s.m.now)
		b.gone[host] = share == 0
		b.states[rank] = known
		b.states[rank].Rank, b.states[rank].Free = rank, -1
		b.states[rank].Available, b.states[rank].Drained = s.m.available(host, since, before), b.gone[host] && s.Balance.Moves()
	}
	managers := b.managers()
	if b.managed != nil && !slices.Equal(managers, b.managed) {
		b.controller.Forget()
	}
	b.managed = managers
	detail := func(pid int) rebalancer.Detail {
		return rebalancer.Detail{State: int64(s.step.state(s.Workload, pid)), Request: -1}
	}
	record := new(CallRecord)
	report := b.controller.Report(b.states, detail)
	reported := report.Size()
	snapshot, err := b.controller.Merge(b.trigger.Observations(), report)
	if err != nil {
		return rebalancer.Decision{}, nil, err
	}
	d := b.controller.Decide(snapshot)
	noticed := b.controller.Notice(&d, func(int) bool { return false }).Size()
	return d, record, s.callTraffic(record, reported, noticed, &d)
}
