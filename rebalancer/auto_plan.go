package rebalancer

import "slices"

// autoPlan is a mapping under construction that knows its predicted time after
// every move. A move costs the number of phases times the logarithm of the
// number of ranks; what was moved can be taken back.
type autoPlan struct {
	m        *autoModel
	where    []int32
	loads    []float64   // place*phases+phase; places are the ranks, and then the crowded hosts
	peaks    []costPeaks // by phase: seconds by place
	tops     []autoTop   // of peaks; valid if fresh
	fresh    bool
	traffic  *costMeter
	transfer *costMeter
	waits    costPeaks // by rank: latencies of the moves
	arrivals costArrivals
	barriers float64 // of them in what counts as a superstep
	members  [][]int32
	slot     []int32 // by pid: place in its rank's members
	stored   []int64
	arriving []int64
	away     int // processes that are not at home
	journal  []autoStep
}

// autoStep is a move that can be taken back.
type autoStep struct{ pid, from int32 }

func newAutoPlan(m *autoModel, where []int32) *autoPlan {
	ranks, platform := len(m.cost.rates), m.cost.view.Platform
	p := &autoPlan{
		m: m, where: slices.Clone(where), loads: make([]float64, len(m.pace)*m.phases),
		peaks: make([]costPeaks, m.phases), tops: make([]autoTop, m.phases),
		traffic: newCostMeter(platform), transfer: newCostMeter(platform),
		waits: newCostPeaks(ranks), members: make([][]int32, ranks), slot: make([]int32, len(where)),
		stored: make([]int64, ranks), arriving: make([]int64, ranks), arrivals: newCostArrivals(platform, where), barriers: m.cost.barriers(),
	}
	for pid, r := range p.where {
		p.enter(pid, int(r))
	}
	for f := range p.peaks {
		p.peaks[f] = newCostPeaks(len(m.pace))
		for place := range m.pace {
			p.peaks[f].values[place] = p.time(place, f)
		}
		p.peaks[f].rebuild()
	}
	return p
}

// enter adds a process where it is to a plan that is being made.
func (p *autoPlan) enter(pid, r int) {
	p.slot[pid] = int32(len(p.members[r]))
	p.members[r] = append(p.members[r], int32(pid))
	p.stored[r] += p.m.state[pid]
	p.carry(pid, r, 1)
	if host := p.m.cost.shared.place(r); host >= 0 {
		p.carry(pid, host, 1)
	}
	for _, peer := range p.m.talk.of(pid) {
		if !peer.out {
			p.send(int(p.where[peer.pid]), r, peer.bytes)
		}
	}
	p.account(pid, 1)
}

func (p *autoPlan) load(place int) []float64 {
	return p.loads[place*p.m.phases : (place+1)*p.m.phases]
}

func (p *autoPlan) time(place, phase int) float64 {
	return p.loads[place*p.m.phases+phase] * p.m.pace[place]
}

// carry adds a process's work to a place, or takes it out if sign is -1.
func (p *autoPlan) carry(pid, place int, sign float64) {
	load := p.load(place)
	for f, x := range p.m.row(pid) {
		if x != 0 {
			load[f] = max(0, load[f]+sign*x)
		}
	}
}

// at lists the processes on a place.
func (p *autoPlan) at(place int) []int32 {
	if place < len(p.members) {
		return p.members[place]
	}
	var all []int32
	for _, rank := range p.m.cost.shared.ranks[place-len(p.members)] {
		all = append(all, p.members[rank]...)
	}
	return all
}

// account adds a process's transfer from home, or takes it out if sign is -1.
func (p *autoPlan) account(pid int, sign int64) {
	home, r := int(p.m.home[pid]), int(p.where[pid])
	if home == r {
		return
	}
	p.away += int(sign)
	p.arriving[r] += sign * p.m.state[pid]
	p.transfer.add(home, r, sign*p.m.state[pid])
	if latency := float64(sign) * costLatency(p.m.cost.view.Platform, home, r); latency != 0 {
		p.waits.set(home, max(0, p.waits.values[home]+latency))
		p.waits.set(r, max(0, p.waits.values[r]+latency))
	}
}

// move takes a process to a rank and notes it in the journal.
func (p *autoPlan) move(pid, to int) {
	p.journal = append(p.journal, autoStep{pid: int32(pid), from: p.where[pid]})
	p.shift(pid, to)
}

// rollback takes back all moves after the first mark ones.
func (p *autoPlan) rollback(mark int) {
	for len(p.journal) > mark {
		last := p.journal[len(p.journal)-1]
		p.journal = p.journal[:len(p.journal)-1]
		p.shift(int(last.pid), int(last.from))
	}
}

func (p *autoPlan) shift(pid, to int) {
	from := int(p.where[pid])
	if from == to {
		return
	}
	p.fresh = false
	p.account(pid, -1)
	p.redirect(pid, to)
	p.regroup(pid, to)
	p.where[pid] = int32(to)
	p.arrivals.move(pid, from, to)
	p.account(pid, 1)
	p.stored[from] -= p.m.state[pid]
	p.stored[to] += p.m.state[pid]
	p.reload(pid, from, to)
	if a, b := p.m.cost.shared.place(from), p.m.cost.shared.place(to); a != b {
		p.reload(pid, a, b)
	}
}

// reload takes a process's work from one place to another; -1 is none.
func (p *autoPlan) reload(pid, from, to int) {
	if from >= 0 {
		p.carry(pid, from, -1)
	}
	if to >= 0 {
		p.carry(pid, to, 1)
	}
	for f, x := range p.m.row(pid) {
		for _, place := range [2]int{from, to} {
			if place >= 0 && x != 0 {
				p.peaks[f].set(place, p.time(place, f))
			}
		}
	}
}

// redirect changes where a process's traffic goes.
func (p *autoPlan) redirect(pid, to int) {
	from := int(p.where[pid])
	for _, peer := range p.m.talk.of(pid) {
		other := int(p.where[peer.pid])
		if peer.out {
			p.send(from, other, -peer.bytes)
			p.send(to, other, peer.bytes)
		} else {
			p.send(other, from, -peer.bytes)
			p.send(other, to, peer.bytes)
		}
	}
}

// send adds bytes from rank to rank to a superstep's traffic.
func (p *autoPlan) send(from, to int, bytes int64) {
	if !p.m.cost.shared.joint(from, to) {
		p.traffic.add(from, to, bytes)
	}
}

// regroup moves a process from one list of members to another.
func (p *autoPlan) regroup(pid, to int) {
	from := p.where[pid]
	list := p.members[from]
	last := list[len(list)-1]
	list[p.slot[pid]] = last
	p.slot[last] = p.slot[pid]
	p.members[from] = list[:len(list)-1]
	p.slot[pid] = int32(len(p.members[to]))
	p.members[to] = append(p.members[to], int32(pid))
}

// step is the predicted time of a superstep to come.
func (p *autoPlan) step() float64 {
	sum := max(p.traffic.time(), p.m.cost.quiet) + p.barriers*p.arrivals.time()
	for f := range p.peaks {
		sum += p.m.weight[f] * p.peaks[f].max()
	}
	return sum
}

// total is what a search makes as small as possible: the value of the
// supersteps to come plus what the moves cost.
func (p *autoPlan) total() float64 {
	total := p.m.value * p.step()
	if p.away > 0 {
		total += p.m.price * (p.transfer.time() + p.waits.max() + p.m.call)
	}
	return total
}
