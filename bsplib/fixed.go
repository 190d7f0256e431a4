package bsplib

import (
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

// This file is what programs need that are not written in Go: memory that stays at its
// addresses, a stage loop without a known end, and places in a program that Go's runtime
// does not know.

// Fixed is implemented by a program's state, as methods of *S, if the process has memory that
// stays at one address wherever the process is.
type Fixed = process.Fixed

// Range is a piece of memory.
type Range = process.Range

// At says where in the program the next calls of the library are made, as errors and accounts
// name it: a place that Foreign knows, 0 for the line of the Go program; and which superstep the
// program takes this for.
func (p *Proc) At(site uintptr, superstep int) { p.process.At, p.process.Count = site, superstep }

// Foreign describes a program in another language. Places from low to high, in code that Go's
// runtime does not know, are named by a function: file:line, or what is known. Some processes have
// ended, while others go on, in the words of mismatch. It is called before a run, once.
func Foreign(low, high uintptr, name func(site uintptr) string, mismatch string) {
	site.Foreign(low, high, name)
	failure.MismatchText = mismatch
}

// InProcess reports whether the run's ranks are goroutines of this Go program.
func (p *Proc) InProcess() bool { return !p.process.Rank.Alone }

// Of is how many elements process pid's part of the area has. The area can be used already.
func (a Area[T]) Of(pid int) int { return a.at.View[pid].Count }

// PutFrom is Put of n bytes at an address, for programs that have checked the access themselves
// and keep areas of bytes.
func (a Area[T]) PutFrom(pid, offset int, from unsafe.Pointer, n int) {
	h := a.at
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

// SendFrom is Send of n bytes at an address to a process that there is. The queue's tag is a word
// and its values are bytes.
func (q Queue[Tag, T]) SendFrom(pid int, tag uint64, from unsafe.Pointer, n int) {
	h := q.at
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

// ReadNow copies elements of process pid's part of the area, as they are now, if this rank can
// address them.
func (a Area[T]) ReadNow(pid, offset int, to []T) bool {
	e := &a.at.View[pid]
	if e.Base == nil {
		return false
	}
	memory.Copy(memory.At(to), unsafe.Add(e.Base, offset*memory.Size[T]()), len(to)*memory.Size[T]())
	return true
}

// Warn has the run's account show a warning, if this is rank 0.
func (p *Proc) Warn(text string) { p.process.Rank.Timing.Account.Warn(text) }
