package bsplib

import (
	"fmt"
	"iter"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
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

func rangesOf(pieces [][]byte) (ranges []Range) {
	for _, m := range pieces {
		ranges = append(ranges, Range{uint64(uintptr(memory.At(m))), uint64(len(m))})
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
	at := site.Walk(3)
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
				at = p.at
			}
			p.meet(at, p.stageFlags())
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
	site.Foreign(low, high, name)
	mismatchText = mismatch
}

// mismatchText says in a foreign program's words that some processes have ended and others go on;
// "": in ours.
var mismatchText string

// failSite is the line of the program for an error of the process.
func (p *Proc) failSite() string {
	if p.at != 0 {
		return site.Name(p.at)
	}
	return site.OfProgram()
}

// InProcess reports whether the run's ranks are goroutines of this Go program.
func (p *Proc) InProcess() bool { return !p.rank.separate }

// Of is how many elements process pid's part of the area has. The area can be used already.
func (a Area[T]) Of(pid int) int { return a.at.View[pid].Count }

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
	for _, p := range r.crew.procs {
		if p.pinned {
			mine.Pids = append(mine.Pids, p.pid)
		}
	}
	all, err := control.Allgather(r.channels.control, &mine)
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
func (p *Proc) Warn(text string) { p.rank.timing.account.Warn(text) }
