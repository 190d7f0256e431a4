//go:build mpi && cgo

package mpi

import "unsafe"

// Alloc takes the memory from the Go heap alone if no other rank could address it, and if no more
// can be shared.
func (w *world) Alloc(n int, dirty bool) []byte {
	if s := w.process.blocks; s != nil {
		if mem := s.alloc(n, dirty); mem != nil {
			return mem
		}
	}
	return fromHeap(n, dirty)
}

// Share names memory by its offset in the arena.
func (w *world) Share(mem []byte) Ref {
	p := unsafe.Pointer(unsafe.SliceData(mem))
	place, inside := w.process.arena.place(p)
	if s := w.process.blocks; s != nil && !inside {
		place, inside = s.place(p)
	}
	switch {
	case inside:
		return Ref(place)
	case w.process.attached && len(mem) > 0:
		return Ref(uintptr(p)) | attachRef
	}
	return 0
}

func (w *world) Reach(rank int, r Ref) unsafe.Pointer {
	if r == 0 || r&attachRef != 0 || w.process.reach[rank] == nil {
		return nil
	}
	return unsafe.Add(w.process.reach[rank], uintptr(r))
}

func (w *world) Copy(rank int, r Ref, offset int, data []byte, to bool) error {
	if r&attachRef == 0 || !w.process.attached || w.process.reach[rank] == nil || rank == w.rank {
		return errNoCopy
	}
	return attachCopy(to, w.process.pids[rank], uintptr(r&^attachRef)+uintptr(offset), data)
}
