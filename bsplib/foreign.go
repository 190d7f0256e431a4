package bsplib

import "unsafe"

// This file is for programs in other languages, whose memory stays at its addresses (fixed.go):
// places in them that Go's runtime does not know, and accesses that they have checked.

// At says where in the program the next calls of the library are made, as errors and accounts
// name it: a place that Foreign knows, 0 for the line of the Go program; and which superstep the
// program takes this for.
func (p *Proc) At(site uintptr, superstep int) { p.at, p.count = site, superstep }

// Foreign describes a program in another language. Places from low to high, in code that Go's
// runtime does not know, are named by a function: file:line, or what is known. Some processes have
// ended, while others go on, in the words of mismatch. It is called before a run, once.
func Foreign(low, high uintptr, name func(site uintptr) string, mismatch string) {
	foreign.low, foreign.high, foreign.name, foreign.mismatch = low, high, name, mismatch
}

var foreign struct {
	low, high uintptr
	name      func(uintptr) string
	mismatch  string
}

// foreignSite reports whether Foreign knows a place.
func foreignSite(site uintptr) bool { return site >= foreign.low && site < foreign.high }

// failSite is the line of the program for an error of the process.
func (p *Proc) failSite() string {
	if p.at != 0 {
		return pcName(p.at)
	}
	return programSite()
}

// InProcess reports whether the run's ranks are goroutines of this Go program.
func (p *Proc) InProcess() bool { return !p.rank.separate }

// Of is how many elements process pid's part of the area has. The area can be used already.
func (a Area[T]) Of(pid int) int { return a.view[pid].count }

// PutFrom is Put of n bytes at an address, for programs that have checked the access themselves
// and keep areas of bytes.
func (a Area[T]) PutFrom(pid, offset int, from unsafe.Pointer, n int) {
	h := a.area
	p, box, key := h.proc, h.view[pid].box, word0(kindPut, h.slot, pid)
	p.did.Sent += n
	switch {
	case n != 8:
		box.put(p.pid, key, offset, from, n)
	case box.growsByWord(p.pid, key, offset):
		box.growByWord(*(*uint64)(from))
	default:
		box.putWord(p.pid, key, offset, *(*uint64)(from))
	}
}

// SendFrom is Send of n bytes at an address to a process that there is. The queue's tag is a word
// and its values are bytes.
func (q Queue[Tag, T]) SendFrom(pid int, tag uint64, from unsafe.Pointer, n int) {
	p := q.proc
	box, key := p.rank.route[pid], q.key|uint64(pid)<<pidShift
	p.did.Sent += n + 8
	switch {
	case n != 8:
		box.send(p.pid, key, unsafe.Pointer(&tag), 8, 8, from, n)
	case box.follows(p.pid, key, 8, 16):
		box.joinWords(tag, *(*uint64)(from))
	default:
		box.sendWords(p.pid, key, tag, *(*uint64)(from))
	}
}

// ReadNow copies elements of process pid's part of the area, as they are now, if this rank can
// address them.
func (a Area[T]) ReadNow(pid, offset int, to []T) bool {
	e := &a.view[pid]
	if e.base == nil {
		return false
	}
	copyBytes(raw(to), unsafe.Add(e.base, offset*sizeOf[T]()), len(to)*sizeOf[T]())
	return true
}

// Warn has the run's account show a warning, if this is rank 0.
func (p *Proc) Warn(text string) { p.rank.account.Warn(text) }
