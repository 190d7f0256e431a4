package bsplib

import (
	"fmt"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/mpi"
)

// relocation is what a rank tells another about processes that have moved.
type relocation struct {
	Arrived []arrivedProcess  // on the rank that tells, the same to all
	Left    []departedProcess // from it, to the rank that has them now
}

type arrivedProcess struct {
	Pid   int
	Areas []arrivedArea // by slot
}

type arrivedArea struct {
	Count int
	Ref   mpi.Ref
}

type departedProcess struct {
	Pid    int
	Digest uint64
}

// announceArrivals tells all ranks where the arrived processes' areas are, and
// those that took this rank's processes the digest of what left.
func (r *rank) announceArrivals(c *control.Channel) *Error {
	if len(r.mover.arrivals)+len(r.mover.departures) == 0 {
		return nil
	}
	said := make([]relocation, r.comm.Size())
	for _, d := range r.mover.departures {
		said[d.to].Left = append(said[d.to].Left, departedProcess{d.proc.pid, d.digest})
	}
	var arrived []arrivedProcess
	for _, a := range r.mover.arrivals {
		a.proc.share()
		x := arrivedProcess{Pid: a.proc.pid}
		for _, area := range a.proc.areas {
			if area == nil {
				x.Areas = append(x.Areas, arrivedArea{})
				continue
			}
			x.Areas = append(x.Areas, arrivedArea{area.count, area.ref})
		}
		arrived = append(arrived, x)
	}
	for to := range said {
		said[to].Arrived = arrived
		if err := control.Send(c, to, &said[to]); err != nil {
			return r.engineError(err)
		}
	}
	return nil
}

// hearArrivals makes the new places of areas known on this rank, and compares
// what has arrived with what had left.
func (r *rank) hearArrivals() *Error {
	left := make(map[int]uint64)
	err := control.Each(r.control, func(from int, said *relocation) error {
		for _, x := range said.Arrived {
			r.findAreas(from, x.Pid, x.Areas)
		}
		for _, x := range said.Left {
			left[x.Pid] = x.Digest
		}
		return nil
	})
	if err != nil {
		return r.engineError(err)
	}
	for _, a := range r.mover.arrivals {
		if a.digest != left[a.proc.pid] {
			return r.notArrived(a.proc.pid, a.proc.stages.at, a.from,
				fmt.Errorf("its state is not what had left: digest %016x, not %016x", a.digest, left[a.proc.pid]))
		}
	}
	return nil
}

// findAreas takes in where the areas of process pid, now on rank src, are.
func (r *rank) findAreas(src, pid int, areas []arrivedArea) {
	for slot, x := range areas {
		if r.dir.viewless(slot) {
			continue
		}
		e := extent{count: x.Count, box: r.route[pid]}
		if own := r.local[pid]; own != nil {
			if a := own.areas[slot]; a != nil {
				e.base = a.base
			}
		} else if x.Ref != 0 {
			e.base = r.comm.Reach(src, x.Ref)
		}
		r.dir.views[slot][pid] = e
	}
}

// viewless tells whether there is no area in a slot.
func (d *directory) viewless(slot int) bool { return slot >= len(d.views) || d.views[slot] == nil }
