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

// This file has the calls of the engine below package bsplib.

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

// at says where in the program the next calls of the library are made, as errors and accounts
// name it: a place in code that Go's runtime does not know; and which superstep the program takes
// this for.
func (r *runner) at(superstep int) {
	r.p.At, r.p.Count = place(r.c), superstep
}

// sync ends the superstep where the program is.
func (r *runner) sync() {
	if p := r.p; p.At != 0 {
		p.Meet(p.At, driver.FlagSync)
		return
	}
	r.b.Sync()
}

// foreign tells how places of the program from low to high are named, and in which words its
// processes are said not to end together.
func foreign(low, high uintptr, name func(uintptr) string) {
	site.Foreign(low, high, name)
	failure.MismatchText, failure.Owner = mismatch, ownerOf
}

// faulted ends the run if v is a panic on an access to memory that the program has named.
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

// networks returns how this rank's host is reached, and the host of each rank.
func networks(b *bsplib.Proc) (own listen.Host, all []listen.Host) {
	all = processOf(b).Rank.Cluster.Networks
	return all[b.Rank()], all
}

// putFrom is Put of n bytes at an address, for what has been checked.
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

// sendFrom is Send of n bytes at an address to a process that there is.
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

// sendRow is Send of n messages of a word, each of which lies behind its tag.
func sendRow(h *stream.Queue, pid int, from unsafe.Pointer, n int) {
	p := h.Process
	p.Did.Sent += 16 * n
	p.Out.Route[pid].SendRow(p.Pid, h.Key|uint64(pid)<<stream.PidShift, from, n)
}

// addressed is where process pid's part of an area is, nil if this rank cannot address it.
func addressed(a *stream.Area, pid, offset int) unsafe.Pointer {
	e := &a.View[pid]
	if e.Base == nil {
		return nil
	}
	return unsafe.Add(e.Base, offset)
}

// farRef is what the kernel copies process pid's part of an area by, 0 if it does not; share makes
// memory known for that, and copyFrom copies.
func farRef(b *bsplib.Proc, a *stream.Area, pid int) mpi.Ref {
	return processOf(b).Home.Stream.Registry.Far(a.Slot, pid)
}

func share(b *bsplib.Proc, m []byte) mpi.Ref { return processOf(b).Home.Comm.Share(m) }

func copyFrom(b *bsplib.Proc, rank int, ref mpi.Ref, offset int, to []byte) error {
	return processOf(b).Home.Comm.Copy(rank, ref, offset, to, false)
}

// rankOf is the rank of process pid, and stepOf the superstep of the engine.
func rankOf(b *bsplib.Proc, pid int) int { return int(processOf(b).Home.Where[pid]) }
func stepOf(b *bsplib.Proc) int          { return processOf(b).Rank.Now.Step }
