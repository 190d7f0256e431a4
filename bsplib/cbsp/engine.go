//go:build cgo && linux && (amd64 || arm64)

package cbsp

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/internal/driver"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/listen"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/mpi"
)

// This file calls the engine below package bsplib.

func processOf(b *bsplib.Proc) *driver.Process { return driver.Held.Process(b) }

// area is an Area with the engine's object, and queue a Queue. Structs of a pointer to such an object
// move with the process: stream.Handles.
type area struct {
	bsp    bsplib.Area[byte]
	engine struct{ at *stream.Area }
}

type queue struct {
	bsp    bsplib.Queue[uint64, byte]
	engine struct{ at *stream.Queue }
}

func areaOf(a bsplib.Area[byte]) (x area) {
	x.bsp, x.engine.at = a, driver.Held.Area(a)
	return x
}

func queueOf(q bsplib.Queue[uint64, byte]) (x queue) {
	x.bsp, x.engine.at = q, driver.Held.Queue(q)
	return x
}

// at sets the site and the superstep that errors and accounts give for the next calls of the
// library: an address in code that Go's runtime does not know, and the program's own superstep.
func (r *runner) at(superstep int) {
	r.p.At, r.p.Count = place(r.c), superstep
}

// sync ends the superstep at the program's site.
func (r *runner) sync() {
	if p := r.p; p.At != 0 {
		p.Meet(p.At, driver.FlagSync)
		return
	}
	r.b.Sync()
}

// foreign sets the function that names addresses of the program, from low to high, and the text of
// the error for processes that do not end together.
func foreign(low, high uintptr, name func(uintptr) string) {
	site.Foreign(low, high, name)
	failure.MismatchText, failure.Owner = mismatch, ownerOf
}

// faulted ends the run if v is a panic on an access to memory at an address from the program.
func (r *runner) faulted(v any) {
	if address, is := failure.OfFault(v); is {
		r.at(r.current())
		r.b.Abort("%s", failure.FaultText(address))
	}
}

// inProcess reports whether the run's ranks are goroutines of this Go program.
func inProcess(b *bsplib.Proc) bool { return !processOf(b).Rank.Alone }

// ranksOf returns the number of ranks.
func ranksOf(b *bsplib.Proc) int { return processOf(b).Home.Comm.Size() }

// networks returns the address of this rank's host, and the host of each rank.
func networks(b *bsplib.Proc) (own listen.Host, all []listen.Host) {
	all = processOf(b).Rank.Cluster.Networks
	return all[b.Rank()], all
}

// putFrom is Put of n bytes at an address, with arguments that have been checked.
func putFrom(h *stream.Area, pid, offset int, from unsafe.Pointer, n int) {
	p, box, key := h.Process, h.View[pid].Box, stream.Word0(stream.KindPut, h.Slot, pid)
	p.Did.Sent += n
	switch {
	case n != 8:
		box.Put(p.Pid, key, offset, from, n)
	case box.GrowsByWord(p.Pid, key, offset):
		box.GrowByWord(*(*uint64)(from))
	default:
		box.PutWord(p.Pid, key, offset, *(*uint64)(from))
	}
}

// sendFrom is Send of n bytes at an address. The process pid must exist.
func sendFrom(h *stream.Queue, pid int, tag uint64, from unsafe.Pointer, n int) {
	p := h.Process
	box, key := p.Out.Route[pid], h.Key|uint64(pid)<<stream.PidShift
	p.Did.Sent += n + 8
	switch {
	case n != 8:
		box.Send(p.Pid, key, unsafe.Pointer(&tag), 8, 8, from, n)
	case box.Follows(p.Pid, key, 8, 16):
		box.JoinWords(tag, *(*uint64)(from))
	default:
		box.SendWords(p.Pid, key, tag, *(*uint64)(from))
	}
}

// sendRow is Send of n messages of a word, each preceded by its tag in memory.
func sendRow(h *stream.Queue, pid int, from unsafe.Pointer, n int) {
	p := h.Process
	p.Did.Sent += 16 * n
	p.Out.Route[pid].SendRow(p.Pid, h.Key|uint64(pid)<<stream.PidShift, from, n)
}

// addressed returns the address of process pid's part of an area, nil if this rank cannot address it.
func addressed(a *stream.Area, pid, offset int) unsafe.Pointer {
	e := &a.View[pid]
	if e.Base == nil {
		return nil
	}
	return unsafe.Add(e.Base, offset)
}

// farRef returns the reference through which the kernel copies process pid's part of an area, 0 if
// it cannot; share makes memory available in this manner, and copyFrom copies.
func farRef(b *bsplib.Proc, a *stream.Area, pid int) mpi.Ref {
	return processOf(b).Home.Stream.Registry.Far(a.Slot, pid)
}

func share(b *bsplib.Proc, m []byte) mpi.Ref { return processOf(b).Home.Comm.Share(m) }

func copyFrom(b *bsplib.Proc, rank int, ref mpi.Ref, offset int, to []byte) error {
	return processOf(b).Home.Comm.Copy(rank, ref, offset, to, false)
}

// rankOf returns the rank of process pid, and stepOf the superstep of the engine.
func rankOf(b *bsplib.Proc, pid int) int { return int(processOf(b).Home.Where[pid]) }
func stepOf(b *bsplib.Proc) int          { return processOf(b).Rank.Now.Step }
