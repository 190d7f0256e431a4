//go:build mpi && cgo

package mpi

/*
#include "exchange.h"
#include "signals.h"
*/
import "C"

import (
	"errors"
	"slices"
	"syscall"
	"unsafe"

	gompi "github.com/sbromberger/gompi"
)

// On returns the Comm of this process for a communicator of a program that has begun MPI itself.
// All its processes call it. The communicator does not change, and MPI keeps running when the Comm
// is closed: On can be called again, for the same communicator or for others, one at a time.
//
// All calls of the library are made by the goroutine that calls the Comm: if the program has begun
// MPI without threads, it must run on the thread that has begun MPI.
func On(h Handle, quota float64) (Comm, error) {
	if !gompi.IsOn() {
		return nil, errors.New("mpi: MPI has not begun (MPI_Init), so that there are no communicators")
	}
	setting, err := settingFromEnv()
	if err != nil {
		return nil, err
	}
	C.mb_signals_repair() // of the handlers that the program's MPI_Init has installed
	var own C.int
	if code := C.mb_copy(C.int(h), &own); code != 0 {
		return nil, mpiError("copy a communicator", code)
	}
	return open(Handle(own), true, setting, quota)
}

// HandleOf returns the handle of a communicator of package gompi.
func HandleOf(c *gompi.Communicator) Handle { return Handle(C.mb_from(unsafe.Pointer(c))) }

// communicatorOf returns a communicator of package gompi for h. It sets the first field of
// gompi.Communicator.
func communicatorOf(h Handle) *gompi.Communicator {
	c := new(gompi.Communicator)
	C.mb_to(C.int(h), unsafe.Pointer(c))
	return c
}

// held keeps the memory of closed communicators while the program has slices of it.
var held []*process

// leave ends the use of a communicator of the program's, after all ranks have ended theirs.
func (p *process) leave() error {
	for _, mem := range p.mapped {
		syscall.Munmap(mem)
	}
	if p.arena.fd >= 0 {
		closeFile(p.arena.fd)
	}
	held = slices.DeleteFunc(append(held, p), func(p *process) bool {
		return (p.blocks == nil || p.blocks.empty()) && syscall.Munmap(p.arena.mem) == nil
	})
	if code := C.mb_free(C.int(p.on)); code != 0 {
		return mpiError("free a communicator", code)
	}
	return nil
}
