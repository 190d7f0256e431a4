package process

import (
	"fmt"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
)

// Fixed is implemented by a program's state, as methods of *S, if the process has memory at fixed
// addresses, so that pointers into it are valid on every rank. If the process moves, the memory is
// received at the same addresses, in addition to the state's encoded values. A checkpoint contains
// both.
// All memory that the process registers is part of it.
//
// Ranks that are goroutines of one Go program share its address space: on a move between them
// Arrive is called before Leave, and for the same memory.
type Fixed interface {
	// Ranges returns the parts of the memory that may contain nonzero bytes; on arrival all other
	// bytes are zero. The result does not change until the process runs.
	Ranges() [][]byte
	// Bytes returns the size of Ranges, or slightly more. It does not access the memory.
	Bytes() int64
	// Arrive allocates zeroed memory for an arriving process, and returns the given ranges of it,
	// which the caller fills. The state's values have been decoded before.
	Arrive(ranges []Range) ([][]byte, error)
	// Leave frees the memory of a process that has moved to another rank, or has ended.
	Leave()
	// Written is called before the process is written to a checkpoint, so that it can save external
	// resources in its state.
	Written()
}

// Range is a piece of memory.
type Range struct{ At, Bytes uint64 }

// fixedOf returns the conversion from a state with areas to Fixed, nil if *S does not implement it.
func fixedOf[S any]() func(unsafe.Pointer) Fixed {
	if _, is := any((*S)(nil)).(Fixed); !is {
		return nil
	}
	return func(at unsafe.Pointer) Fixed { return any(&(*stateWithAreas[S])(at).Program).(Fixed) }
}

// fixed returns the process's memory at fixed addresses, nil if it has none.
func (p *Process) fixed() Fixed {
	if p.Home.Program.fixed == nil || p.State == nil {
		return nil
	}
	return p.Home.Program.fixed(p.State)
}

// fixedRanges returns the ranges of fixed memory that a move transfers.
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

// arriveFixed allocates the fixed memory of an arriving process, and returns the ranges to fill.
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

// memoryAt returns a pointer to an address outside Go's heap.
//
//go:nocheckptr
func memoryAt(address uint64) unsafe.Pointer { return unsafe.Add(nil, uintptr(address)) }
