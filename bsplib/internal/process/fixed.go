package process

import (
	"fmt"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
)

// Fixed is implemented by a program's state, as methods of *S, if the process has memory that
// stays at one address wherever the process is: pointers into it then hold on every rank. Where
// the process moves, these bytes are sent from where they lie and received in place, beside the
// state's encoded values; a checkpoint holds both. All memory that the process registers lies
// there.
//
// Ranks that are goroutines of one Go program share its addresses: on a move between them
// Arrive is called before Leave, and for the same memory.
type Fixed interface {
	// Ranges are the parts of that memory that may not be zero; on arrival all other bytes are zero.
	// The result stays the same until the process runs.
	Ranges() [][]byte
	// Bytes is the size of Ranges, or a little more. It does not look at the memory.
	Bytes() int64
	// Arrive makes the memory of a process that comes, all zero, before ranges of it are filled.
	// The state's values are there already. The result shows the ranges.
	Arrive(ranges []Range) ([][]byte, error)
	// Leave gives up the memory of a process that has gone elsewhere, or has ended.
	Leave()
	// Written is called before the process is written to a checkpoint, so that the state can hold
	// what the process will need of things outside of it.
	Written()
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
func (p *Process) fixed() Fixed {
	if p.Home.Program.fixed == nil || p.State == nil {
		return nil
	}
	return p.Home.Program.fixed(p.State)
}

// fixedRanges are the ranges that a move brings.
func (p *Process) fixedRanges() [][]byte {
	if f := p.fixed(); f != nil {
		return f.Ranges()
	}
	return nil
}

func rangesOf(pieces [][]byte) (ranges []Range) {
	for _, m := range pieces {
		ranges = append(ranges, Range{uint64(uintptr(memory.At(m))), uint64(len(m))})
	}
	return ranges
}

// arriveFixed makes the fixed memory of a process that comes, and returns the ranges that are
// to be filled.
func (p *Process) arriveFixed(ranges []Range) ([][]byte, error) {
	f := p.fixed()
	switch {
	case f == nil && len(ranges) == 0:
		return nil, nil
	case f == nil:
		return nil, fmt.Errorf("it has memory at fixed addresses, which this program has not")
	}
	return f.Arrive(ranges)
}

// memoryAt is the memory at an address outside Go's heap.
//
//go:nocheckptr
func memoryAt(address uint64) unsafe.Pointer { return unsafe.Add(nil, uintptr(address)) }
