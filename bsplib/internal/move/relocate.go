package move

import (
	"fmt"

	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/internal/wire"
	"github.com/migbsp/migbsp/mpi"
)

// relocation is a rank's message to another rank about processes that have moved.
type relocation struct {
	Arrived []byte     // encoded []Located, the same for all ranks
	Left    []departed // processes that moved from the sender to the receiver
}

// departed is a process that has left the sender's rank.
type departed struct {
	Pid     int
	Digest  uint64
	History []byte // the measurements of its old rank
}

// Located lists the areas of a process by slot.
type Located struct {
	Pid   int
	Areas []Area
}

// Area is the length and the name of an area's memory.
type Area struct {
	Count int
	Ref   mpi.Ref
}

// Locate returns the areas of a process.
func Locate(p *stream.Process) Located {
	x := Located{Pid: p.Pid}
	for _, area := range p.Areas {
		if area == nil {
			x.Areas = append(x.Areas, Area{})
			continue
		}
		x.Areas = append(x.Areas, Area{area.Count, area.Ref})
	}
	return x
}

// Place registers the areas of a process that is now on rank src.
func (x *Located) Place(g *stream.Registry, src int) {
	for slot, a := range x.Areas {
		g.Place(src, x.Pid, slot, a.Count, a.Ref)
	}
}

// announcement is a decoded relocation and its sender.
type announcement struct {
	from    int
	left    []departed
	arrived []Located
}

// relocate is the exchange that announces all arrivals to all ranks.
func (m *Mover) relocate(by carrier) error {
	if err := m.publish(by); err != nil {
		return err
	}
	if _, err := by.channel.Exchange(0); err != nil {
		return err
	}
	if err := m.receiveRelocations(by); err != nil {
		return err
	}
	return m.compare()
}

// publish sends the arrived processes' areas to all ranks, and the digests and histories of
// this rank's departed processes to their new ranks. If by is not attached to a call, the moves
// are decided, and publish removes the histories from this rank.
func (m *Mover) publish(by carrier) error {
	if len(m.arrivals)+len(m.departures) == 0 {
		return nil
	}
	out := make([]relocation, m.comm.Size())
	for i := range m.departures {
		d := &m.departures[i]
		left := departed{Pid: d.process.Data.Pid, Digest: d.digest}
		if b := m.settings.Balance(); b != nil {
			history := b.Depart
			if by.attached {
				history = b.History
			}
			var err error
			if left.History, err = history(left.Pid); err != nil {
				return m.unmovable(d, err)
			}
		}
		out[d.to].Left = append(out[d.to].Left, left)
	}
	var arrived []Located
	for i := range m.arrivals {
		p := &m.arrivals[i].process.Data
		m.stream.Registry.Share(p)
		arrived = append(arrived, Locate(p))
	}
	text, err := wire.Append(nil, &arrived)
	if err != nil {
		return err
	}
	for to := range out {
		out[to].Arrived = text
		if err := send(by, to, &out[to]); err != nil {
			return err
		}
	}
	return nil
}

// receiveRelocations stores the received relocations.
func (m *Mover) receiveRelocations(by carrier) error {
	return each(by, func(from int, x *relocation) error {
		in := announcement{from: from, left: x.Left}
		err := wire.Read(x.Arrived, &in.arrived)
		m.received = append(m.received, in)
		return err
	})
}

// compare compares the digests of the arrived processes with the digests of their old ranks,
// and adds their histories.
func (m *Mover) compare() error {
	left := make(map[int]departed)
	for _, in := range m.received {
		for _, x := range in.left {
			left[x.Pid] = x
		}
	}
	for i := range m.arrivals {
		a := &m.arrivals[i]
		pid := a.process.Data.Pid
		var err error
		x, came := left[pid] // absent if it was loaded from a checkpoint
		if b := m.settings.Balance(); a.digest != x.Digest {
			err = fmt.Errorf("its state is not what had left: digest %016x, not %016x", a.digest, x.Digest)
		} else if came && b != nil {
			err = b.Arrive(pid, x.History)
		}
		if err != nil {
			return m.notArrived(pid, a.process.Stages.At.String(), a.from, err)
		}
	}
	return nil
}

// RegisterAreas registers the new areas of processes that have moved on this rank. where is the rank of
// each process.
func (m *Mover) RegisterAreas(where []int32) {
	for i := range m.received {
		in := &m.received[i]
		for k := range in.arrived {
			if x := &in.arrived[k]; where[x.Pid] == int32(in.from) {
				x.Place(m.stream.Registry, in.from)
			}
		}
	}
}
