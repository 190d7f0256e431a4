package search

import (
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
)

// Plan is a mapping under construction with its predicted time. A move costs the number of phases
// times the logarithm of the number of ranks. Moves can be reverted.
type Plan struct {
	m        *instance
	where    []int32
	loads    []float64      // place*phases+phase; first the ranks, then the crowded hosts
	peaks    []cost.MaxTree // by phase: seconds by place
	traffic  *cost.FlowTime
	transfer *cost.MovingTime
	arrivals cost.BarrierTime
	members  [][]int32
	slot     []int32 // by pid: index in its rank's members
	stored   []int64
	arriving []int64
	journal  []step
}

// step is a move that can be taken back.
type step struct{ pid, from int32 }

func newPlan(m *instance, where []int32) *Plan {
	ranks, platform := len(m.Cost.Rates), m.Cost.Platform
	p := &Plan{
		m: m, where: slices.Clone(where), loads: m.loads(where), peaks: make([]cost.MaxTree, m.phases),
		traffic: cost.NewFlowTime(platform), transfer: cost.NewMovingTime(platform),
		members: make([][]int32, ranks), slot: make([]int32, len(where)),
		stored: make([]int64, ranks), arriving: make([]int64, ranks),
		arrivals: cost.NewBarrierTime(platform, where),
	}
	for pid, r := range p.where {
		p.join(pid, int(r))
		p.account(pid, 1)
		for _, peer := range m.peers[pid] {
			if !peer.out {
				p.send(int(p.where[peer.pid]), int(r), peer.bytes)
			}
		}
	}
	for f := range p.peaks {
		p.peaks[f] = cost.NewMaxTree(len(m.pace))
		for place := range m.pace {
			p.peaks[f].Values[place] = p.time(place, f)
		}
		p.peaks[f].Rebuild()
	}
	return p
}

func (p *Plan) load(place int) []float64 {
	return p.loads[place*p.m.phases : (place+1)*p.m.phases]
}

func (p *Plan) time(place, phase int) float64 {
	return p.loads[place*p.m.phases+phase] * p.m.pace[place]
}

// carry adds a process's work where it counts on a rank, or takes it out if sign is -1.
func (p *Plan) carry(pid, rank int, sign float64) {
	for place := range p.m.Cost.Shared.Counts(rank) {
		load := p.load(place)
		for f, x := range p.m.row(pid) {
			if x != 0 {
				load[f] = max(0, load[f]+sign*x)
				p.peaks[f].Set(place, p.time(place, f))
			}
		}
	}
}

// at returns the processes on a rank or crowded host.
func (p *Plan) at(place int) []int32 {
	if place < len(p.members) {
		return p.members[place]
	}
	var all []int32
	for _, rank := range p.m.Cost.Shared.Crowds.Ranks[place-len(p.members)] {
		all = append(all, p.members[rank]...)
	}
	return all
}

// account adds a process's state to its rank, and its transfer from home, or takes them out if sign is -1.
func (p *Plan) account(pid int, sign int64) {
	home, r := int(p.m.Home[pid]), int(p.where[pid])
	p.stored[r] += sign * p.m.State[pid]
	if home == r {
		return
	}
	p.arriving[r] += sign * p.m.State[pid]
	p.transfer.Add(home, r, p.m.State[pid], sign)
}

// Move takes a process to a rank and notes it in the journal.
func (p *Plan) Move(pid, to int) {
	p.journal = append(p.journal, step{pid: int32(pid), from: p.where[pid]})
	p.shift(pid, to)
}

// Rollback takes back all moves after the first mark ones.
func (p *Plan) Rollback(mark int) {
	for len(p.journal) > mark {
		last := p.journal[len(p.journal)-1]
		p.journal = p.journal[:len(p.journal)-1]
		p.shift(int(last.pid), int(last.from))
	}
}

func (p *Plan) shift(pid, to int) {
	from := int(p.where[pid])
	if from == to {
		return
	}
	p.account(pid, -1)
	p.redirect(pid, to)
	p.leave(pid, from)
	p.join(pid, to)
	p.where[pid] = int32(to)
	p.arrivals.Move(pid, from, to)
	p.account(pid, 1)
	p.carry(pid, from, -1)
	p.carry(pid, to, 1)
}

// redirect changes where a process's traffic goes.
func (p *Plan) redirect(pid, to int) {
	from := int(p.where[pid])
	for _, peer := range p.m.peers[pid] {
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
func (p *Plan) send(from, to int, bytes int64) {
	if !p.m.Cost.Shared.Crowds.Joint(from, to) {
		p.traffic.Add(from, to, bytes)
	}
}

// join and leave keep the lists of members.
func (p *Plan) join(pid, rank int) {
	p.slot[pid] = int32(len(p.members[rank]))
	p.members[rank] = append(p.members[rank], int32(pid))
}

func (p *Plan) leave(pid, rank int) {
	list := p.members[rank]
	last := list[len(list)-1]
	list[p.slot[pid]], p.slot[last] = last, p.slot[pid]
	p.members[rank] = list[:len(list)-1]
}

// step is the predicted time of a superstep to come.
func (p *Plan) step() float64 {
	sends := p.traffic.Time()
	sum := p.m.Cost.Exchanged(sends + p.m.Cost.Waits(sends, p.m.Cost.Barriers()*p.arrivals.Time()))
	for f := range p.peaks {
		sum += p.m.weight[f] * p.peaks[f].Max()
	}
	return sum
}

// Where is the mapping.
func (p *Plan) Where() []int32 { return p.where }

// Total returns the objective of the search: the value of the coming
// supersteps plus the cost of the moves.
func (p *Plan) Total() float64 {
	return p.m.value()*p.step() + p.m.price*p.transfer.Time(p.m.Call)
}

// holds reports whether processes may have come to a rank.
func (p *Plan) holds(rank int) bool { return p.m.holds(rank, p.stored[rank], p.arriving[rank]) }
