package placement

import (
	"math"
	"slices"

	"github.com/migbsp/migbsp/rebalancer"
)

// Request is a request for an initial mapping.
type Request struct {
	How     string    // as -start: For returns the default for ""
	Work    *Work     // by the program's hints, nil without
	Memory  int64     // bytes that all processes need together, 0 if that is not known
	Profile *Measured // of an earlier run, on rank 0; nil without
}

// Work describes a run by the hints of its program: a model to compare mappings with before anything
// is measured.
type Work struct {
	Seconds    float64   // of all processes, on a core of speed 1
	Share      []float64 // relative work of each process; nil: equal
	Supersteps int
	Sent       float64             // bytes that a process sends in the run
	Partners   func(pid int) []int // that a process sends to, the same number to each; nil: all others
}

// manyRanks is the number of ranks up to which hints are used: comparing mappings takes time in
// proportion to the square, 20 ms for 1000 ranks with messages between all processes.
const manyRanks = 1000

// usedMemory is the part of the free memory of a host that a start by hints may fill.
const usedMemory = 0.8

// Room is the memory for processes.
type Room struct {
	Needed int64   // bytes of all processes, 0 if that is not known
	Free   []int64 // bytes on each rank's host, 0 or no entry if that is not known
}

// ByHints returns the mapping with the least time by the model: on all ranks by speeds, or on the
// ranks of one Set or of one host.
func (m *Machine) ByHints(procs int, w *Work) Start {
	best := m.BySpeeds(procs)
	if len(m.Platform.Ranks) > manyRanks {
		return best
	}
	x := newModel(m, procs)
	x.work = w
	groups := x.groups()
	if len(w.Share) > 0 {
		groups = append(groups, nil) // all ranks, by shares
	}
	least, all := x.time(best.Where), best.Where
	for _, ranks := range groups {
		where := x.within(ranks)
		if !x.fits(where) || slices.Equal(where, all) {
			continue
		}
		if t := x.time(where); t < least {
			least, best = t, Start{where, "by the program's hints: " + spread(where, m.Platform), true}
		}
	}
	return best
}

// model predicts the time of a run for initial mappings.
type model struct {
	machine  *Machine
	work     *Work
	capacity []float64 // by rank
	procs    int
	host     []int     // number of each rank's host
	hosts    [][]int32 // ranks of each host
}

func newModel(m *Machine, procs int) *model {
	x := &model{machine: m, capacity: Capacities(m.Platform), procs: procs}
	x.host, x.hosts = m.Platform.Hosts()
	return x
}

// groups returns the ranks of each Set and of each host.
func (m *model) groups() [][]int32 {
	sets := make([][]int32, len(m.machine.Platform.Sets))
	for rank, r := range m.machine.Platform.Ranks {
		sets[r.Set] = append(sets[r.Set], int32(rank))
	}
	return append(slices.DeleteFunc(sets, func(ranks []int32) bool { return len(ranks) == 0 }), m.hosts...)
}

// within returns blocks on some ranks, nil for all, with work in proportion to their capacities.
func (m *model) within(ranks []int32) []int32 {
	if len(m.work.Share) > 0 {
		return m.blocks(ranks, m.work.Share)
	}
	capacity := make([]float64, len(ranks))
	for i, rank := range ranks {
		capacity[i] = m.capacity[rank]
	}
	where := proportional(m.procs, capacity)
	for pid, i := range where {
		where[pid] = ranks[i]
	}
	return m.machine.anchored(where)
}

// fits reports whether the states of a mapping fit into the free memory of its hosts, as far as known.
func (m *model) fits(where []int32) bool {
	count := make([]int, len(m.hosts))
	for _, rank := range where {
		count[m.host[rank]]++
	}
	for host, n := range count {
		free := int64(0)
		if rank := m.hosts[host][0]; int(rank) < len(m.machine.Room.Free) {
			free = m.machine.Room.Free[rank]
		}
		if free > 0 && float64(m.machine.Room.Needed)*float64(n)/float64(m.procs) > usedMemory*float64(free) {
			return false
		}
	}
	return true
}

// time returns the predicted seconds of a run: the work of the slowest rank, the bytes on the most
// loaded link, and the longest latency in use in each superstep. Messages within a host take no time.
func (m *model) time(where []int32) float64 {
	count := make([]float64, len(m.capacity))
	for _, rank := range where {
		count[rank]++
	}
	load, all := count, float64(m.procs)
	if len(m.work.Share) > 0 {
		load, all = make([]float64, len(m.capacity)), 0
		for pid, rank := range where {
			load[rank] += m.work.Share[pid]
			all += m.work.Share[pid]
		}
	}
	bytes, latency := m.exchange(where, count)
	return m.longest(load)*m.work.Seconds/all + bytes + latency*float64(m.work.Supersteps)
}

// longest returns the time of the slowest rank.
func (m *model) longest(load []float64) (longest float64) {
	for rank, w := range load {
		longest = max(longest, w/m.capacity[rank])
	}
	return longest
}

// blocks returns consecutive processes on some ranks, nil for all, with work in proportion to the
// capacities of the ranks.
func (m *model) blocks(ranks []int32, work []float64) []int32 {
	if ranks == nil {
		for rank := range m.capacity {
			ranks = append(ranks, int32(rank))
		}
	}
	capacity, all := 0.0, 0.0
	for _, rank := range ranks {
		capacity += m.capacity[rank]
	}
	for _, w := range work {
		all += w
	}
	where := make([]int32, m.procs)
	at, done, until := 0, 0.0, m.capacity[ranks[0]]/capacity*all
	for pid, w := range work {
		for at+1 < len(ranks) && done+w/2 > until {
			at++
			until += m.capacity[ranks[at]] / capacity * all
		}
		where[pid], done = ranks[at], done+w
	}
	return m.machine.anchored(where)
}

// exchange returns the seconds of the bytes of a run, and the longest latency between hosts in use.
func (m *model) exchange(where []int32, count []float64) (bytes, latency float64) {
	flow := m.machine.Platform.NewFlow()
	if m.work.Partners == nil {
		m.addAll(&flow, count)
	} else {
		for pid, from := range where {
			partners := m.work.Partners(pid)
			for _, to := range partners {
				if to >= 0 && to < len(where) {
					m.add(&flow, from, where[to], m.work.Sent/float64(len(partners)))
				}
			}
		}
	}
	bytes, _ = m.machine.Platform.Times(&flow)
	return bytes, m.latency(count)
}

// addAll adds messages between all processes.
func (m *model) addAll(flow *rebalancer.Flow, count []float64) {
	each := m.work.Sent / math.Max(1, float64(m.procs-1))
	for from, n := range count {
		for to, k := range count {
			if n*k > 0 {
				m.add(flow, int32(from), int32(to), each*n*k)
			}
		}
	}
}

func (m *model) add(flow *rebalancer.Flow, from, to int32, bytes float64) {
	if m.host[from] != m.host[to] {
		m.machine.Platform.Add(flow, int(from), int(to), int64(bytes))
	}
}

// latency returns the longest latency between hosts with processes: barriers wait for it.
func (m *model) latency(count []float64) (longest float64) {
	var used []int // a rank of each host
	for _, ranks := range m.hosts {
		if i := slices.IndexFunc(ranks, func(rank int32) bool { return count[rank] > 0 }); i >= 0 {
			used = append(used, int(ranks[i]))
		}
	}
	for i, a := range used {
		for _, b := range used[:i] {
			from, to := m.machine.Platform.Ranks[a].Set, m.machine.Platform.Ranks[b].Set
			longest = max(longest, m.machine.Platform.Links[from][to].Latency, m.machine.Platform.Links[to][from].Latency)
		}
	}
	return longest
}
