//go:build cgo && linux && (amd64 || arm64) && !staticrank

package cbsp

/*
#cgo CFLAGS: -O2 -Wall -Wextra -Wno-unused-parameter -fno-stack-protector
#cgo LDFLAGS: -ldl -lm -rdynamic
#include <stdlib.h>
#include "process.h"
*/
import "C"

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib"
)

// launcher is a run of an object.
type launcher struct {
	args    []string
	first   *C.process // process 0, waiting in bsp_begin, on rank 0
	resumed bool       // the run was restarted from a checkpoint
	shared  string     // a warning of libraries that the processes of a rank share
	output  sync.Once
	code    atomic.Int64
}

// Main runs the program of an object, and ends the Go program with its exit code. The flags are
// the common flags of package bsplib; args are the program's arguments, its name first.
func Main(object Object, flags, args []string) {
	startAnew(object)
	l := &launcher{args: args, resumed: true}
	libraries := findLibraries(object)
	if err := load(object, libraries); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %s: %v\n", filepath.Base(args[0]), object.Path, err)
		os.Exit(bsplib.ExitUsage)
	}
	l.shared = warning(libraries)
	C.migbsp_libraries()
	C.migbsp_catch()
	thisBuild = findBuild(object, libraries)
	names.of.object = object
	foreign(C.SLOT_BASE, C.SLOT_BASE+C.SLOT_SIZE, names.find)
	os.Args = append([]string{args[0]}, flags...)
	flag.CommandLine = flag.NewFlagSet(args[0], flag.ContinueOnError)
	heap := heapFlag(flag.CommandLine)
	bsplib.Main(l.program, bsplib.Options{
		Description: "Runs a program of BSPlib in C, C++ or Fortran.", HelpBy: helpBy, OwnOutput: true,
		CheckFlags: func(procs int) error {
			if procs > C.MAX_PROCS {
				return fmt.Errorf("there can be %d processes at most", C.MAX_PROCS)
			}
			if most := C.migbsp_sizes(C.uint64_t(*heap), C.int(procs)); most > 0 {
				return fmt.Errorf("-heap %s: of %d processes each can have %dMiB at most", heap, procs, most>>20)
			}
			return nil
		},
		Build: fmt.Sprintf("%016x", thisBuild.Object), Inputs: args[1:], ProcsBy: l.procs, ExitCode: func() int { return int(l.code.Load()) },
	})
}

// procs runs process 0 up to bsp_begin, which sets the number of processes.
func (l *launcher) procs(rank, available int) (used, exit int) {
	l.resumed = false
	l.prints()
	C.migbsp_procs = C.int(available)
	if rank > 0 {
		return 0, 0
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c, err := begin(0, l.args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(l.args[0]), err)
		return 0, bsplib.ExitFailed
	}
	switch op := resume(c); op {
	case C.OP_BEGIN:
		l.first = c
		return min(available, int(c.a)), 0
	case C.OP_EXIT:
		return 0, int(c.a)
	default:
		fmt.Fprintf(os.Stderr, "%s: process 0", filepath.Base(l.args[0]))
		if site := place(c); site != 0 {
			fmt.Fprintf(os.Stderr, ", %s", names.find(site))
		}
		fmt.Fprintf(os.Stderr, ": %s\n", C.GoString(&c.text[0]))
		return 0, bsplib.ExitFailed
	}
}

// prints is called before any process runs.
func (l *launcher) prints() { l.output.Do(func() { C.migbsp_output() }) }

// exited keeps the exit code of a process.
func (l *launcher) exited(code int) {
	if code != 0 {
		l.code.CompareAndSwap(0, int64(code&255))
	}
}

// load maps the object and the libraries that each process has a copy of, and loads the others.
func load(object Object, libraries []library) error {
	var text [512]C.char
	checks := func(failed C.int) error {
		if failed == 0 {
			return nil
		}
		return errors.New(C.GoString(&text[0]))
	}
	path := C.CString(object.Path)
	defer C.free(unsafe.Pointer(path))
	if err := checks(C.migbsp_open(path, C.int64_t(object.Offset), &text[0], C.size_t(len(text)))); err != nil {
		return err
	}
	for _, l := range libraries {
		name := C.CString(cmp.Or(l.path, l.name))
		defer C.free(unsafe.Pointer(name))
		var err error
		if l.shared != "" {
			err = checks(C.migbsp_share(name, &text[0], C.size_t(len(text))))
		} else if err = checks(C.migbsp_open(name, 0, &text[0], C.size_t(len(text)))); err != nil {
			err = fmt.Errorf("%s: %w", l.path, err)
		}
		if err != nil {
			return err
		}
	}
	return checks(C.migbsp_link(&text[0], C.size_t(len(text))))
}

// warning returns a warning of the libraries that processes of a rank share although they may have
// variables. It returns "" if they share none.
func warning(libraries []library) string {
	for _, l := range libraries {
		if l.shared != "" && !l.quiet {
			return fmt.Sprintf("processes stay where they are, and those of a rank share the variables of %s: %s; linked by  bspcc -static-rank  each has its own", l.name, l.shared)
		}
	}
	return ""
}

// libraryVariable has the names of libraries that processes share, for a program that has re-executed itself.
const libraryVariable = "_BSP_LIBRARIES"

// startAnew re-executes the program once, without random addresses, and with the object's libraries
// loaded before anything else takes memory, so that they are at the same addresses on all ranks.
func startAnew(object Object) {
	const addrNoRandomize = 0x0040000
	if _, anew := os.LookupEnv(libraryVariable); anew {
		os.Unsetenv(libraryVariable)
		os.Unsetenv(objectVariable)
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if now, _, errno := syscall.RawSyscall(syscall.SYS_PERSONALITY, 0xffffffff, 0, 0); errno == 0 {
		syscall.RawSyscall(syscall.SYS_PERSONALITY, now|addrNoRandomize, 0, 0)
	}
	syscall.Exec("/proc/self/exe", os.Args, append(os.Environ(), libraryVariable+"="+strings.Join(sharedNames(findLibraries(object)), ":")))
}

// sharedNames returns the names for loading shared libraries.
func sharedNames(libraries []library) (names []string) {
	for _, l := range libraries {
		if l.shared != "" {
			names = append(names, cmp.Or(l.path, l.name))
		}
	}
	return names
}

// names looks up lines of the object.
var names slotNames

type slotNames struct{ of places }

// find returns file:line of a call with a return address in slot 0, or its function.
func (n *slotNames) find(site uintptr) string { return n.of.at(uint64(site-C.SLOT_BASE) - 1) }

// place returns the process's site in the object, the same for all processes: an address in slot 0.
func place(c *C.process) uintptr {
	if uintptr(c.site)-C.SLOT_BASE >= C.ADDRESSES {
		return 0
	}
	return slotZero(c.site)
}

// ownerOf returns the process in whose slot an address is, -1 if it is in none.
func ownerOf(address uintptr) int {
	if address-C.SLOT_BASE >= C.ADDRESSES {
		return -1
	}
	return int((address - C.SLOT_BASE) / uintptr(C.migbsp_slot))
}

// slotZero returns the address in slot 0 that corresponds to an address in any slot.
func slotZero(at C.uintptr_t) uintptr {
	return (uintptr(at)-C.SLOT_BASE)%uintptr(C.migbsp_slot) + C.SLOT_BASE
}
