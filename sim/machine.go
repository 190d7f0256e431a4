package sim

import (
	"cmp"
	"fmt"
	"slices"
)

// machine is a platform with processes on it, and its clock.
type machine struct {
	p        *Platform
	barrier  Barrier
	net      *network
	where    []int32 // host of each process
	now      float64
	jobs     [][]job // by host
	busy     []int32 // hosts with jobs
	done     []float64
	messages []message
	computed computed // since the last call
	district []*zone  // by host; nil if barriers do not depend on it
}

// Barrier is the cost of a barrier: process 0 receives the arrivals of all others one after another,
// and takes less time for processes in its own outermost zone.
type Barrier struct {
	Near, Far float64 // seconds for each process
}

// timing is the seconds taken by the parts of a superstep.
type timing struct {
	total   float64
	compute float64 // until the last process had computed
	comm    float64 // and from there until the last message had arrived
	barrier float64
}

func newMachine(p *Platform, where []int32, barrier Barrier) *machine {
	m := &machine{
		p: p, barrier: barrier, net: newNetwork(p), where: where,
		jobs: make([][]job, len(p.Hosts)), done: make([]float64, len(where)),
	}
	if barrier != (Barrier{}) {
		m.district = make([]*zone, len(p.Hosts))
		for host := range m.district {
			m.district[host] = p.district(host)
		}
	}
	return m
}

// superstep carries out a superstep without its moves. Each process computes, then sends
// its messages, and waits for all others.
func (m *machine) superstep(s *Step) (timing, error) {
	m.deal(s.Work)
	computed := m.now
	for _, host := range m.busy {
		full := m.p.Hosts[host].compute(m.now, m.jobs[host])
		if len(m.p.Hosts[host].Share) > 0 {
			m.addComputed(host, full)
		}
		for _, j := range m.jobs[host] {
			m.done[j.pid] = j.done
			computed = max(computed, j.done)
		}
	}
	m.messages = m.messages[:0]
	for _, out := range s.Messages {
		m.messages = append(m.messages, message{
			from: int(m.where[out.From]), to: int(m.where[out.To]), bytes: out.Bytes, begin: m.done[out.From],
		})
	}
	if err := m.net.carry(m.messages); err != nil {
		return timing{}, err
	}
	arrived := computed
	for i := range m.messages {
		arrived = max(arrived, m.messages[i].end)
	}
	t := timing{compute: computed - m.now, comm: arrived - computed, barrier: m.barrierTime() + s.Over}
	t.total = t.compute + t.comm + t.barrier
	if !(t.total < never) {
		return t, fmt.Errorf("the superstep that begins at %g s does not end: a host or a link that it needs gives nothing for ever", m.now)
	}
	m.now += t.total
	return t, nil
}

// computed sums up the work of hosts whose share changes; it is nil if all shares are constant.
type computed struct {
	full []float64 // by host, in seconds at full share
	took []float64 // by host, in seconds of the platform
}

func (c computed) clone() computed { return computed{slices.Clone(c.full), slices.Clone(c.took)} }

func (c computed) clear() {
	clear(c.full)
	clear(c.took)
}

// of returns the sums of a host.
func (c computed) of(host int) (full, took float64) {
	if c.full == nil {
		return 0, 0
	}
	return c.full[host], c.took[host]
}

// addComputed adds a superstep to the sums of a host whose share changes.
func (m *machine) addComputed(host int32, full float64) {
	if m.computed.full == nil {
		m.computed = computed{make([]float64, len(m.p.Hosts)), make([]float64, len(m.p.Hosts))}
	}
	jobs := m.jobs[host]
	m.computed.full[host] += full
	m.computed.took[host] += jobs[len(jobs)-1].done - m.now
}

// available returns the share of a host that its processes had since a time, for which before holds
// the sums. Without computing, it is the share that they would have had.
func (m *machine) available(host int, since float64, before computed) float64 {
	h := &m.p.Hosts[host]
	if len(h.Share) == 0 {
		return 1
	}
	share := h.Share.Mean(since, m.now)
	full, took := m.computed.of(host)
	earlier, in := before.of(host)
	if took > in {
		share = (full - earlier) / (took - in)
	}
	return max(share, leastShare)
}

// leastShare replaces a share of 0, which a rank may not report.
const leastShare = 1e-6

// never is longer than any run.
const never = 1e30

// deal assigns work to the hosts of its processes.
func (m *machine) deal(work []float64) {
	for _, host := range m.busy {
		m.jobs[host] = m.jobs[host][:0]
	}
	m.busy = m.busy[:0]
	for pid, operations := range work {
		host := m.where[pid]
		m.done[pid] = m.now
		if operations == 0 {
			continue
		}
		if len(m.jobs[host]) == 0 {
			m.busy = append(m.busy, host)
		}
		m.jobs[host] = append(m.jobs[host], job{pid: pid, work: operations})
	}
}

func (m *machine) barrierTime() float64 {
	if m.district == nil || len(m.where) == 0 {
		return m.p.Fixed
	}
	sum, root := m.p.Fixed, m.district[m.where[0]]
	for _, host := range m.where[1:] {
		if m.district[host] == root {
			sum += m.barrier.Near
		} else {
			sum += m.barrier.Far
		}
	}
	return sum
}

// carry simulates messages between hosts that begin now, or later if they say so, and waits
// for all.
func (m *machine) carry(messages []message) (took float64, err error) {
	for i := range messages {
		messages[i].begin = max(m.now, messages[i].begin)
	}
	if err := m.net.carry(messages); err != nil {
		return 0, err
	}
	for i := range messages {
		took = max(took, messages[i].end-m.now)
	}
	if !(took < never) {
		return 0, fmt.Errorf("messages of rescheduling that begin at %g s do not arrive: a link that they need gives nothing for ever", m.now)
	}
	m.now += took
	return took, nil
}

// move moves processes to other hosts, all at once, and returns the duration in seconds. Processes
// leave a host whose share is 0 when its share is positive again.
func (m *machine) move(moves []Move) (took float64, err error) {
	messages := make([]message, len(moves))
	for i, move := range moves {
		from := int(m.where[move.Pid])
		messages[i] = message{from: from, to: move.Host, bytes: move.Bytes, begin: m.p.Hosts[from].Share.Next(m.now)}
		if !(messages[i].begin < never) {
			return 0, fmt.Errorf("process %d cannot leave host %s, which gives nothing from %g s on for ever", move.Pid, m.p.Hosts[from].Name, m.now)
		}
	}
	if took, err = m.carry(messages); err != nil {
		return 0, err
	}
	for _, move := range moves {
		m.where[move.Pid] = int32(move.Host)
	}
	return took, nil
}

// job is the work of a process in a superstep.
type job struct {
	pid  int
	work float64 // floating-point operations
	done float64 // when it has been computed
}

// compute computes the ends of a host's jobs, which all begin at the same time. They share its cores
// fairly: with more jobs than cores, each gets the same part of all cores, else each a core. The
// order of jobs changes. full is the time, in seconds, of the jobs with the host's full share.
func (h *Host) compute(begin float64, jobs []job) (full float64) {
	slices.SortFunc(jobs, func(a, b job) int {
		if c := cmp.Compare(a.work, b.work); c != 0 {
			return c
		}
		return a.pid - b.pid
	})
	at, done := 0.0, 0.0 // seconds of the host at its full share; operations of each job
	for i := range jobs {
		j := &jobs[i]
		left := len(jobs) - i
		slower := max(1, float64(left)/float64(h.Cores))
		at += (j.work - done) * slower / h.Speed
		done = j.work
		j.done = h.Share.End(begin, at)
	}
	return at
}
