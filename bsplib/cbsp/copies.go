//go:build cgo && linux && (amd64 || arm64) && !staticrank

package cbsp

/*
#include "process.h"
*/
import "C"

import (
	"errors"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib"
)

// copied makes the process from a copy of process 0's memory. It returns nil on process 0, and if
// process 0 has not called bsp_init. All processes call it.
func copied(b *bsplib.Proc, first *C.process) (*C.process, error) {
	var ranges []C.migbsp_range
	found := make([]C.migbsp_range, C.migbsp_most_ranges())
	about := make([]uint64, 2+2*len(found)) // their number, the end of the heap, addresses and sizes
	if b.Pid() == 0 && C.migbsp_begins_apart(first) != 0 {
		C.migbsp_flush()
		ranges = found[:C.migbsp_ranges(first, &found[0], C.int(len(found)))]
		about[0], about[1] = uint64(len(ranges)), uint64(C.migbsp_top(first))
		for i, x := range ranges {
			about[2+2*i], about[3+2*i] = uint64(uintptr(unsafe.Pointer(x.at))), uint64(x.size)
		}
	}
	bsplib.Broadcast(b, 0, about)
	if about[0] == 0 {
		return nil, nil
	}
	var packed []byte
	if !inProcess(b) {
		var all uint64
		for i := range about[0] {
			all += about[3+2*i]
		}
		packed = make([]byte, 0, all)
		for _, x := range ranges {
			packed = append(packed, unsafe.Slice((*byte)(unsafe.Pointer(x.at)), x.size)...)
		}
		packed = packed[:all]
		bsplib.Broadcast(b, 0, packed)
	}
	var c *C.process
	var err error
	if b.Pid() > 0 {
		c, err = copyOf(b.Pid(), about, packed)
	}
	bsplib.Allgather(b, []bool{true}) // process 0 changes its memory only when all have copied it
	return c, err
}

func copyOf(pid int, about []uint64, packed []byte) (*C.process, error) {
	slots.Lock()
	slots.users[pid]++
	slots.Unlock()
	ranges := make([]C.migbsp_range, about[0])
	for i := range ranges {
		ranges[i].at = (*C.char)(unsafe.Add(nil, about[2+2*i]))
		ranges[i].size = C.uint64_t(about[3+2*i])
	}
	var text [256]C.char
	c := C.migbsp_copied(C.int(pid), &ranges[0], C.int(len(ranges)), (*C.char)(unsafe.Pointer(unsafe.SliceData(packed))), C.uint64_t(about[1]), &text[0], C.size_t(len(text)))
	if c == nil {
		return nil, errors.New(C.GoString(&text[0]))
	}
	return c, nil
}
