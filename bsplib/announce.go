package bsplib

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/migbsp/migbsp/mpi"
)

// announceArrivals tells all ranks where the arrived processes' areas are, and
// those that took this rank's processes the digest of what left.
func (r *rank) announceArrivals() {
	if len(r.mover.arrivals)+len(r.mover.departures) == 0 {
		return
	}
	var w []uint64
	for _, a := range r.mover.arrivals {
		a.proc.share()
		w = append(w, uint64(a.proc.pid), uint64(len(a.proc.areas)))
		for _, area := range a.proc.areas {
			if area == nil {
				w = append(w, 0, 0)
				continue
			}
			w = append(w, uint64(area.count), uint64(area.ref))
		}
	}
	for to := range r.side.Out {
		b := &r.side.Out[to]
		b.Grow(8 * (1 + len(w)))
		b.Bytes = binary.NativeEndian.AppendUint64(b.Bytes, uint64(len(w)))
		b.Bytes = append(b.Bytes, bytesOf(w)...)
	}
	for _, d := range r.mover.departures {
		b := &r.side.Out[d.to]
		b.Grow(16)
		b.Bytes = binary.NativeEndian.AppendUint64(b.Bytes, uint64(d.proc.pid))
		b.Bytes = binary.NativeEndian.AppendUint64(b.Bytes, d.digest)
	}
}

// hearArrivals makes the new places of areas known on this rank, and compares
// what has arrived with what had left.
func (r *rank) hearArrivals() *Error {
	left := make(map[int]uint64)
	for src, in := range r.side.In {
		if len(in) == 0 {
			continue
		}
		w := unsafe.Slice(wordAt(in, 0), len(in)/8)
		arrivals, digests := w[1:1+w[0]], w[1+w[0]:]
		for len(arrivals) > 0 {
			pid, slots := int(arrivals[0]), int(arrivals[1])
			r.findAreas(src, pid, arrivals[2:2+2*slots])
			arrivals = arrivals[2+2*slots:]
		}
		for i := 0; i < len(digests); i += 2 {
			left[int(digests[i])] = digests[i+1]
		}
	}
	for _, a := range r.mover.arrivals {
		if a.digest != left[a.proc.pid] {
			return r.notArrived(a.proc.pid, a.proc.stages.at, a.from,
				fmt.Errorf("its state is not what had left: digest %016x, not %016x", a.digest, left[a.proc.pid]))
		}
	}
	return nil
}

// findAreas takes in where the areas of process pid, now on rank src, are:
// their lengths and names, by slot.
func (r *rank) findAreas(src, pid int, w []uint64) {
	for slot := 0; 2*slot < len(w); slot++ {
		if r.dir.viewless(slot) {
			continue
		}
		e := extent{count: int(w[2*slot]), box: r.route[pid]}
		if own := r.local[pid]; own != nil {
			if a := own.areas[slot]; a != nil {
				e.base = a.base
			}
		} else if ref := mpi.Ref(w[2*slot+1]); ref != 0 {
			e.base = r.comm.Reach(src, ref)
		}
		r.dir.views[slot][pid] = e
	}
}

// viewless tells whether there is no area in a slot.
func (d *directory) viewless(slot int) bool { return slot >= len(d.views) || d.views[slot] == nil }
