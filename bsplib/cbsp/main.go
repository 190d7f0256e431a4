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
	"debug/elf"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/migbsp/migbsp/bsplib"
)

// launcher is a run of an object.
type launcher struct {
	args    []string
	first   *C.process // process 0, which stands in bsp_begin, on rank 0
	resumed bool       // the run goes on from a checkpoint
	output  sync.Once
	code    atomic.Int64
}

// Main runs the program of an object, and ends the Go program with its exit code. The flags are
// those of every program of package bsplib, args what the program is given, its name first.
func Main(object Object, flags, args []string) {
	startAnew(object)
	l := &launcher{args: args, resumed: true}
	var text [512]C.char
	path := C.CString(object.Path)
	if C.migbsp_open(path, C.int64_t(object.Offset), &text[0], C.size_t(len(text))) != 0 {
		fmt.Fprintf(os.Stderr, "%s: %s: %s\n", filepath.Base(args[0]), object.Path, C.GoString(&text[0]))
		os.Exit(bsplib.ExitUsage)
	}
	C.migbsp_libraries()
	C.migbsp_catch()
	thisBuild = findBuild(object)
	names.of.object = object
	foreign(C.SLOT_BASE, C.SLOT_BASE+C.SLOT_SIZE, names.find)
	os.Args = append([]string{args[0]}, flags...)
	flag.CommandLine = flag.NewFlagSet(args[0], flag.ContinueOnError)
	heap := heapFlag(flag.CommandLine)
	bsplib.Main(l.program, bsplib.Options{
		Description: "Runs a program of BSPlib in C, C++ or Fortran.", HelpBy: helpBy,
		CheckFlags: func(procs int) error {
			if procs > C.MAX_PROCS {
				return fmt.Errorf("there can be %d processes at most", C.MAX_PROCS)
			}
			if most := C.migbsp_sizes(C.uint64_t(*heap), C.int(procs)); most > 0 {
				return fmt.Errorf("-heap %s: of %d processes each can have %dMiB at most", heap, procs, most>>20)
			}
			return nil
		},
		ProcsBy: l.procs, ExitCode: func() int { return int(l.code.Load()) },
	})
}

// procs runs process 0 up to bsp_begin, which says how many processes there are.
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

// libraryVariable has the names of the object's libraries, for a program that has started itself
// anew.
const libraryVariable = "_BSP_LIBRARIES"

// startAnew starts the program once more, if it was not yet: without random addresses, and with
// the object's libraries loaded before anything else takes memory, so that they are at the same
// addresses on all ranks.
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
	syscall.Exec("/proc/self/exe", os.Args, append(os.Environ(), libraryVariable+"="+strings.Join(neededBy(object), ":")))
}

// neededBy are the libraries that an object is linked to, with their folders if it says these.
func neededBy(object Object) (names []string) {
	f, err := os.Open(object.Path)
	if err != nil {
		return nil
	}
	defer f.Close()
	file, err := elf.NewFile(io.NewSectionReader(f, object.Offset, math.MaxInt64-object.Offset))
	if err != nil {
		return nil
	}
	names, _ = file.ImportedLibraries()
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "libmigbsp-stub.") })
	var folders []string
	for _, tag := range []elf.DynTag{elf.DT_RUNPATH, elf.DT_RPATH} {
		paths, _ := file.DynString(tag)
		for _, path := range paths {
			folders = append(folders, strings.Split(strings.ReplaceAll(path, "$ORIGIN", filepath.Dir(object.Path)), ":")...)
		}
	}
	for i, name := range names {
		for _, folder := range folders {
			if path := filepath.Join(folder, name); exists(path) {
				names[i] = path
				break
			}
		}
	}
	return names
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// names finds lines of the object.
var names slotNames

type slotNames struct{ of places }

// find is file:line of a call that returns to a place in slot 0, or the function that it is in.
func (n *slotNames) find(site uintptr) string { return n.of.at(uint64(site-C.SLOT_BASE) - 1) }

// place is where in the object the process is, the same for all processes: an address in slot 0.
func place(c *C.process) uintptr {
	if uintptr(c.site)-C.SLOT_BASE >= C.ADDRESSES {
		return 0
	}
	return slotZero(c.site)
}

// slotZero is an address of the object in slot 0.
func slotZero(at C.uintptr_t) uintptr {
	return (uintptr(at)-C.SLOT_BASE)%uintptr(C.migbsp_slot) + C.SLOT_BASE
}
