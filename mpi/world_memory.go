//go:build mpi && cgo

package mpi

import (
	"unsafe"

	"github.com/migbsp/migbsp/internal/fresh"
)

// Alloc takes the memory from the Go heap alone where no other rank could
// address it, and where there is no more to share.
func (w *world) Alloc(n int) []byte { return w.alloc(n, false) }

func (w *world) AllocDirty(n int) []byte { return w.alloc(n, true) }

func (w *world) alloc(n int, dirty bool) []byte {
	if s := w.process.blocks; s != nil {
		if mem := s.alloc(n, dirty); mem != nil {
			return mem
		}
	}
	if dirty {
		return fresh.Bytes(n)
	}
	return fresh.Zeroed(n)
}

// Share names memory by its place in the arena.
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

func (w *world) Withdraw(Ref) {}

func (w *world) Reach(rank int, r Ref) unsafe.Pointer {
	if r == 0 || r&attachRef != 0 || w.process.reach[rank] == nil {
		return nil
	}
	return unsafe.Add(w.process.reach[rank], uintptr(r))
}

// Attaches implements Attach, as do the next two methods.
func (w *world) Attaches(rank int, r Ref) bool {
	return r&attachRef != 0 && w.process.attached && w.process.reach[rank] != nil && rank != w.rank
}

func (w *world) CopyTo(rank int, r Ref, offset int, data []byte) error {
	return attachCopy(true, w.process.pids[rank], uintptr(r&^attachRef)+uintptr(offset), data)
}

func (w *world) CopyFrom(rank int, r Ref, offset int, data []byte) error {
	return attachCopy(false, w.process.pids[rank], uintptr(r&^attachRef)+uintptr(offset), data)
}
