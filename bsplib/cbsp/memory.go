//go:build cgo && linux && (amd64 || arm64)

package cbsp

/*
#include <stdlib.h>
#include "process.h"
*/
import "C"

import (
	"errors"
	"sync"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/internal/process"
)

// state is what a process is between two supersteps, beside its slot.
type state struct {
	Begun bool // it has called bsp_begin
	Stay  bool // ranks have libraries at other addresses, or others
	Made  build
	Input string // where process 0 finds the standard input when it has moved, if it reads it
	Pid   int
	Areas []bsplib.Area[byte] // by number
	Free  []int               // numbers
	Queue bsplib.Queue[uint64, byte]
	Talk  bsplib.Queue[uint64, byte] // statements: agree.go
}

var _ process.Fixed = (*state)(nil)

// slots are those of processes on ranks of this program.
var slots struct {
	sync.Mutex
	users  [C.MAX_PROCS]int      // ranks that have it: two while a process moves between them
	memory [C.MAX_PROCS][][]byte // what it needs elsewhere, found since the process has stopped
}

// memory is what the process needs elsewhere, nil if that was not looked for since it has stopped.
func (s *state) memory() *[][]byte { return &slots.memory[s.Pid] }

// mostRanges limits how many pieces a process's memory is sent in.
const mostRanges = 64

func (s *state) process() *C.process { return C.migbsp_process(C.int(s.Pid)) }

func (s *state) Ranges() [][]byte {
	if !s.Begun {
		return nil
	}
	memory := s.memory()
	if *memory == nil {
		C.migbsp_flush()
		C.migbsp_departs(s.process())
		var found [mostRanges]C.migbsp_range
		n := int(C.migbsp_ranges(s.process(), &found[0], mostRanges))
		for _, r := range found[:n] {
			*memory = append(*memory, unsafe.Slice((*byte)(unsafe.Pointer(r.at)), int(r.size)))
		}
	}
	return *memory
}

func (s *state) Bytes() int64 {
	if !s.Begun {
		return 0
	}
	return int64(C.migbsp_bytes(s.process()))
}

func (s *state) Arrive(ranges []process.Range) ([][]byte, error) {
	if len(ranges) == 0 {
		return nil, nil
	}
	if err := s.Made.fits(thisBuild); err != nil {
		return nil, err
	}
	slots.Lock()
	defer slots.Unlock()
	if slots.users[s.Pid] == 0 {
		var text [256]C.char
		if C.migbsp_map(C.int(s.Pid), &text[0], C.size_t(len(text))) == nil {
			return nil, errors.New(C.GoString(&text[0]))
		}
	}
	slots.users[s.Pid]++
	var memory [][]byte
	for _, r := range ranges {
		memory = append(memory, unsafe.Slice((*byte)(unsafe.Add(nil, uintptr(r.At))), int(r.Bytes)))
	}
	*s.memory() = memory
	return memory, nil
}

func (s *state) Leave() {
	if !s.Begun {
		return
	}
	slots.Lock()
	defer slots.Unlock()
	if slots.users[s.Pid]--; slots.users[s.Pid] == 0 {
		*s.memory() = nil
		if s.Pid == 0 && s.Input != "" {
			inputClient.leave()
		}
		C.migbsp_unmap(C.int(s.Pid))
	}
}

// begin makes the process on this rank.
func begin(pid int, args []string) (*C.process, error) {
	slots.Lock()
	slots.users[pid]++
	slots.Unlock()
	argv := make([]*C.char, len(args)+1)
	for i, arg := range args {
		argv[i] = C.CString(arg)
	}
	list := (**C.char)(C.malloc(C.size_t(len(argv)) * C.size_t(unsafe.Sizeof(argv[0]))))
	copy(unsafe.Slice(list, len(argv)), argv)
	var text [256]C.char
	c := C.migbsp_start(C.int(pid), C.int(len(args)), list, &text[0], C.size_t(len(text)))
	for _, arg := range argv[:len(args)] {
		C.free(unsafe.Pointer(arg))
	}
	C.free(unsafe.Pointer(list))
	if c == nil {
		return nil, errors.New(C.GoString(&text[0]))
	}
	return c, nil
}
