//go:build cgo && linux && (amd64 || arm64) && !staticrank

package cbsp

/*
#include <stdlib.h>
#include "process.h"

// Go's runtime ends the program if one of its functions is called meanwhile.
#cgo nocallback migbsp_resume
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/internal/fresh"
)

// travels is the state of a process between two supersteps, without its slot.
type travels struct {
	Begun bool // it has called bsp_begin
	Stay  bool // ranks have libraries at other addresses, or others
	Made  build
	Input string // the address of the standard input for process 0 after a move, if it reads it
	SoFar int64  // in a checkpoint, the number of bytes taken from the input, -1 if unknown,
	Rest  []byte // and the part of it that the process has not read
	State state

	Section string // of direct reads
}

var _ process.Fixed = (*travels)(nil)

// slots has the slots of processes on ranks of this program.
var slots struct {
	sync.Mutex
	users  [C.MAX_PROCS]int      // ranks that have it: two while a process moves between them
	memory [C.MAX_PROCS][][]byte // its memory outside the slot, found since the process has stopped
}

// memory returns the process's memory outside its slot, nil if not searched for since it stopped.
func (t *travels) memory() *[][]byte { return &slots.memory[t.State.Pid] }

func (t *travels) process() *C.process { return C.migbsp_process(C.int(t.State.Pid)) }

func (t *travels) Ranges() [][]byte {
	if !t.Begun {
		return nil
	}
	memory := t.memory()
	if *memory == nil {
		C.migbsp_flush()
		C.migbsp_departs(t.process())
		found := make([]C.migbsp_range, C.migbsp_most_ranges())
		n := int(C.migbsp_ranges(t.process(), &found[0], C.int(len(found))))
		for _, r := range found[:n] {
			*memory = append(*memory, unsafe.Slice((*byte)(unsafe.Pointer(r.at)), int(r.size)))
		}
	}
	return *memory
}

func (t *travels) Bytes() int64 {
	if !t.Begun {
		return 0
	}
	return int64(C.migbsp_bytes(t.process()))
}

func (t *travels) Arrive(ranges []process.Range) ([][]byte, error) {
	if len(ranges) == 0 {
		return nil, nil
	}
	if err := t.Made.fits(thisBuild); err != nil {
		return nil, err
	}
	slots.Lock()
	defer slots.Unlock()
	if slots.users[t.State.Pid] == 0 {
		var text [256]C.char
		if C.migbsp_map(C.int(t.State.Pid), &text[0], C.size_t(len(text))) == nil {
			return nil, errors.New(C.GoString(&text[0]))
		}
	}
	slots.users[t.State.Pid]++
	var memory [][]byte
	for _, r := range ranges {
		m := unsafe.Slice((*byte)(unsafe.Add(nil, uintptr(r.At))), int(r.Bytes))
		fresh.Expect(m)
		memory = append(memory, m)
	}
	*t.memory() = memory
	return memory, nil
}

func (t *travels) Leave() {
	if !t.Begun {
		return
	}
	slots.Lock()
	defer slots.Unlock()
	if slots.users[t.State.Pid]--; slots.users[t.State.Pid] == 0 {
		*t.memory() = nil
		if t.State.Pid == 0 && t.Input != "" {
			inputClient.leave()
		}
		if C.migbsp_has_threads(t.process()) == 0 { // they run until the program ends
			C.migbsp_unmap(C.int(t.State.Pid))
		}
	}
}

func (t *travels) Written() {
	if !t.Begun || t.State.Pid != 0 || C.migbsp_reads() == 0 {
		return
	}
	c := t.process()
	C.migbsp_departs(c)
	var err error
	if t.SoFar, t.Rest, err = inputClient.position(t.Input); err != nil {
		fmt.Fprintf(os.Stderr, "the standard input: %v\n", err)
	}
}

// resume runs the process until it has an operation for the engine. c is passed as a number, because
// otherwise Go would look up its pointers at each call.
func resume(c *C.process) C.int { return C.migbsp_resume(C.uintptr_t(uintptr(unsafe.Pointer(c)))) }

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
