package stream

import (
	"slices"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/mpi"
)

// Registry is a rank's table of all processes' areas, by slot.
//
// All processes make the same areas and queues in the same order, so each process numbers them by
// itself. At the barrier it sends the areas and queues that it has made and popped to all ranks
// (Tell), with the length of an area and, where memory is shared, the reference to its memory. Each
// rank checks that all processes have done the same, enters the address of each process's area
// (Check), and makes the area available to its own processes from the next superstep on (Apply). A
// Put or a Get then needs no request to another rank: the sender has the bounds and, if it can reach
// the memory, the address.
//
// Invariant: between supersteps Views[slot] is the same on all ranks, except for Base and Far, which
// depend on how this rank accesses the memory.
type Registry struct {
	Views [][]Extent

	comm    mpi.Comm
	local   []*Process // by pid, nil for processes of other ranks
	out     *Outboxes
	actions []action // of this rank's processes in this superstep
	told    int      // number of actions already in the streams
}

// Actions of a process on areas and queues in a superstep. All processes make the same actions in the
// same order.
const (
	pushArea = iota
	popArea
	makeQueue
)

// action is an action of a process. It is sent to all ranks at the next barrier.
type action struct {
	pid        int
	what, slot int
	count      int
	types      uint64 // a hash of the element type, and a queue's tag type
}

// Push registers an area, in the process's next slot. It reports whether a slot was free.
func (g *Registry) Push(p *Process, a *Area) bool {
	if n := len(p.Free); n > 0 {
		a.Slot = p.Free[n-1]
		p.Free = p.Free[:n-1]
		p.Areas[a.Slot] = a
	} else {
		a.Slot = len(p.Areas)
		if a.Slot >= MostSlots {
			return false
		}
		p.Areas = append(p.Areas, a)
	}
	g.act(action{p.Pid, pushArea, a.Slot, a.Count, a.Types})
	return true
}

// Pop ends a registration.
func (g *Registry) Pop(p *Process, a *Area) {
	g.act(action{p.Pid, popArea, a.Slot, 0, a.Types})
}

// MakeQueue makes the process's next queue. It returns nil if no slot is free.
func (g *Registry) MakeQueue(p *Process, tagBytes int, types uint64) *Queue {
	p.Mail()
	if len(p.Queues) >= MostSlots {
		return nil
	}
	q := p.AddQueue(tagBytes)
	g.act(action{p.Pid, makeQueue, q.Slot, 0, types})
	return q
}

func (g *Registry) act(a action) { g.actions, g.out.Untold = append(g.actions, a), true }

// Tell appends the process's new actions to the streams to all ranks. Because processes run one after
// the other, these are all unsent actions.
func (g *Registry) Tell(p *Process) {
	for _, act := range g.actions[g.told:] {
		ref := mpi.Ref(0)
		if act.what == pushArea {
			ref = p.Areas[act.slot].Ref
		}
		for _, d := range g.out.Here {
			g.out.boxes[d].Words(p.Pid, Word0(KindRegister, act.slot, p.Pid),
				uint64(act.what), uint64(act.count), act.types, uint64(ref))
		}
	}
	g.told, g.out.Untold = len(g.actions), false
	g.out.Flags |= FlagRegister
}

// Retract drops the unsent actions. Their process has ended.
func (g *Registry) Retract() { g.actions, g.out.Untold = g.actions[:g.told], false }

// Registrations is a digest of a process's actions in one superstep.
type Registrations struct {
	Count int
	hash  uint64
}

// A Misfit is a process whose registrations differ from those made by most processes. Usual is the
// first of the latter.
type Misfit struct {
	Pid, Usual int
	Its, Most  Registrations
}

// Check enters all registrations of this superstep. If they differ it returns the first process whose
// registrations differ from most others'.
func (g *Registry) Check(data *mpi.Lane) *Misfit {
	sent := make([]Registrations, len(g.local)) // by pid
	for src, in := range data.In {
		for i := 0; i < len(in); i = RecordEnd(in, i) {
			if w := *memory.Word(in, i); KindOf(w) == KindRegister {
				g.enter(src, PidOf(w), SlotOf(w), unsafe.Slice(memory.Word(in, i+8), 4), &sent[PidOf(w)])
			}
		}
	}
	for _, its := range sent {
		if its != sent[0] {
			return misfitOf(sent)
		}
	}
	return nil
}

// misfitOf returns the first process whose registrations differ from the most frequent ones.
func misfitOf(sent []Registrations) *Misfit {
	count, usual := make(map[Registrations]int), 0
	for _, its := range sent {
		count[its]++
	}
	for pid, its := range sent {
		if count[its] > count[sent[usual]] {
			usual = pid
		}
	}
	odd := slices.IndexFunc(sent, func(its Registrations) bool { return its != sent[usual] })
	return &Misfit{Pid: odd, Usual: usual, Its: sent[odd], Most: sent[usual]}
}

// enter records the action of process pid, on rank src, on a slot.
func (g *Registry) enter(src, pid, slot int, w []uint64, s *Registrations) {
	what, count, types, ref := int(w[0]), int(w[1]), w[2], mpi.Ref(w[3])
	s.Count++
	for _, x := range [...]uint64{uint64(what), uint64(slot), types} {
		s.hash = (s.hash ^ x) * 0x100000001b3
	}
	if what != pushArea {
		return
	}
	g.Slot(slot)[pid] = g.extent(src, pid, slot, count, ref)
}

// extent returns the part of process pid, on rank src, of the area in a slot.
func (g *Registry) extent(src, pid, slot, count int, ref mpi.Ref) Extent {
	e := Extent{Count: count, Box: g.out.Route[pid]}
	if own := g.local[pid]; own == nil && ref != 0 {
		e.Base = g.comm.Reach(src, ref)
	} else if own != nil && own.Areas[slot] != nil {
		e.Base = own.Areas[slot].Base
	}
	if ref != 0 && g.comm.Copy(src, ref, 0, nil, true) == nil {
		e.Far = ref
	}
	return e
}

// Slot returns all processes' extents in a slot, and allocates them if needed.
func (g *Registry) Slot(slot int) []Extent {
	for slot >= len(g.Views) {
		g.Views = append(g.Views, nil)
	}
	if g.Views[slot] == nil {
		g.Views[slot] = make([]Extent, len(g.local))
	}
	return g.Views[slot]
}

// Empty reports whether a slot has no area.
func (g *Registry) Empty(slot int) bool { return slot >= len(g.Views) || g.Views[slot] == nil }

// Place records the new location, on rank src, of process pid's area in a slot.
func (g *Registry) Place(src, pid, slot, count int, ref mpi.Ref) {
	if !g.Empty(slot) {
		g.Views[slot][pid] = g.extent(src, pid, slot, count, ref)
	}
}

// Use sets the views of the registered areas of a process of this rank.
func (g *Registry) Use(p *Process) {
	for slot, a := range p.Areas {
		if a != nil && !g.Empty(slot) {
			a.View = g.Views[slot]
		}
	}
}

// Apply performs the processes' actions, after the superstep's Puts.
func (g *Registry) Apply() {
	for _, act := range g.actions {
		p, a := g.local[act.pid], (*Area)(nil)
		if act.what != makeQueue {
			a = p.Areas[act.slot]
		}
		switch act.what {
		case pushArea:
			a.View = g.Views[act.slot]
		case popArea:
			g.drop(p, a)
		}
	}
	g.forgetActions()
}

// forgetActions clears the actions, and frees their memory if it is large.
func (g *Registry) forgetActions() {
	g.actions, g.told = g.actions[:0], 0
	if cap(g.actions) > manyActions {
		g.actions = nil
	}
}

// manyActions is the number of actions whose memory is freed: 40 kB.
const manyActions = 1 << 10

func (g *Registry) drop(p *Process, a *Area) {
	a.Dead, a.View = true, nil
	g.release(a)
	p.Areas[a.Slot] = nil
	g.Views[a.Slot] = nil
	p.Free = append(p.Free, a.Slot)
}

// release gives up the engine's memory of an area.
func (g *Registry) release(a *Area) {
	if a.Owned {
		a.Base, a.Count, a.Owned = nil, 0, false
	}
}

// Release gives up the engine's memory of all of a process's areas.
func (g *Registry) Release(p *Process) {
	for _, a := range p.Areas {
		if a != nil {
			g.release(a)
		}
	}
}

// Share registers the areas of an arrived process with the engine.
func (g *Registry) Share(p *Process) {
	for _, a := range p.Areas {
		if a != nil && a.Count > 0 {
			a.Ref = g.comm.Share(a.Memory())
		}
	}
}

// Far returns the name of process pid's memory in a slot, 0 if the kernel does not copy
// from and to it.
func (g *Registry) Far(slot, pid int) mpi.Ref {
	if g.Empty(slot) {
		return 0
	}
	return g.Views[slot][pid].Far
}
