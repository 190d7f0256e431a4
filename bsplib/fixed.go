package bsplib

import (
	"fmt"
	"iter"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/control"
)

// This file is what programs need that are not written in Go: memory that stays at its
// addresses, a stage loop without a known end, and places in a program that Go's runtime
// does not know.

// Fixed is implemented by a program's state, as methods of *S, if the process has memory that
// stays at one address wherever the process is: pointers into it then hold on every rank. Where
// the process moves, these bytes are sent from where they lie and received in place, beside the
// state's encoded values; a checkpoint holds both. All memory that the process registers lies
// there.
//
// Ranks that are goroutines of one Go program share its addresses: on a move between them
// Arrive is called before Leave, and for the same memory.
type Fixed interface {
	// Ranges are the parts of that memory that are not zero where the process goes on. The
	// result stays the same until the process runs.
	Ranges() [][]byte
	// Bytes is how much that is, or a little more: it does not look at the memory.
	Bytes() int64
	// Arrive makes the memory of a process that comes, all zero, before ranges of it are filled.
	// The state's values are there already. The result shows the ranges.
	Arrive(ranges []Range) ([][]byte, error)
	// Leave gives up the memory of a process that has gone elsewhere, or has ended.
	Leave()
}

// Range is a piece of memory.
type Range struct{ At, Bytes uint64 }

// fixedOf finds the memory of S that stays at its addresses, nil if it has none.
func fixedOf[S any]() func(unsafe.Pointer) Fixed {
	if _, is := any((*S)(nil)).(Fixed); !is {
		return nil
	}
	return func(at unsafe.Pointer) Fixed { return any(&(*stateWithAreas[S])(at).Program).(Fixed) }
}

// fixed is the process's memory that stays at its addresses, nil if it has none.
func (p *Proc) fixed() Fixed {
	if p.rank.program.fixed == nil || p.state == nil {
		return nil
	}
	return p.rank.program.fixed(p.state)
}

// fixedRanges is what a move brings of it.
func (p *Proc) fixedRanges() [][]byte {
	if f := p.fixed(); f != nil {
		return f.Ranges()
	}
	return nil
}

// fixedBytes is how much that is.
func (p *Proc) fixedBytes() int64 {
	if f := p.fixed(); f != nil {
		return f.Bytes()
	}
	return 0
}

func rangesOf(memory [][]byte) (ranges []Range) {
	for _, m := range memory {
		ranges = append(ranges, Range{uint64(uintptr(raw(m))), uint64(len(m))})
	}
	return ranges
}

// arriveFixed makes the fixed memory of a process that comes, and returns the ranges that are
// to be filled.
func (p *Proc) arriveFixed(ranges []Range) ([][]byte, error) {
	f := p.fixed()
	switch {
	case f == nil && len(ranges) == 0:
		return nil, nil
	case f == nil:
		return nil, fmt.Errorf("it has memory at fixed addresses, which this program has not")
	}
	return f.Arrive(ranges)
}

// leaveFixed gives up the fixed memory.
func (p *Proc) leaveFixed() {
	if f := p.fixed(); f != nil {
		f.Leave()
	}
}

// OpenStages is Stages for a loop whose length is not known: it goes on until all processes
// leave it, in the same pass, by break or return. For decisions that depend on how much is left,
// a loop is expected to go on for as many stages as it has had.
//
// Rules and cost are those of Stages.
func (p *Proc) OpenStages() iter.Seq[int] {
	site := slowCallerPC(3)
	return func(yield func(int) bool) {
		s := &p.stages
		if s.inside {
			p.fail(KindNestedStages, "OpenStages within a stage: loops of stages follow one another")
		}
		loop := s.loop
		s.loop++
		if loop < s.at.Loop {
			return
		}
		k := 0
		if loop == s.at.Loop {
			k = s.at.Stage
		}
		s.inside = true
		for ; ; k++ {
			s.all, s.left = 2*k+2, k+2
			p.beginStage()
			if !yield(k) {
				break
			}
			s.at = position{loop, k + 1}
			s.left = k + 1
			if p.at != 0 {
				site = p.at
			}
			p.meet(site, p.stageFlags())
		}
		s.inside, s.all, s.left = false, 0, 0
		s.at = position{loop + 1, 0}
	}
}

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

// memoryAt is the memory at an address outside Go's heap.
//
//go:nocheckptr
func memoryAt(address uint64) unsafe.Pointer { return unsafe.Add(nil, uintptr(address)) }

// pinnedAnywhere are the processes that are pinned, on all ranks. Programs in Go are not asked:
// in them pins are for calls.
func (r *rank) pinnedAnywhere() (map[int]bool, *Error) {
	if r.program.fixed == nil {
		return nil, nil
	}
	var mine struct{ Pids []int }
	for _, p := range r.procs {
		if p.pinned {
			mine.Pids = append(mine.Pids, p.pid)
		}
	}
	all, err := control.Allgather(r.control, &mine)
	if err != nil {
		return nil, r.engineError(err)
	}
	pinned := make(map[int]bool)
	for _, x := range all {
		for _, pid := range x.Pids {
			pinned[pid] = true
		}
	}
	return pinned, nil
}

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
