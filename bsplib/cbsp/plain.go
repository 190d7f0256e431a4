//go:build cgo && linux && (amd64 || arm64) && staticrank

package cbsp

/*
#cgo CFLAGS: -O2 -Wall -Wextra -Wno-unused-parameter
#cgo LDFLAGS: -ldl -lm -Wl,-Bsymbolic-functions
#include <stdlib.h>
#include "process.h"
extern int migbsp_procs;
uintptr_t migbsp_module(uintptr_t at, char *path, size_t size);
uintptr_t migbsp_interpreted(void);
int migbsp_where(uintptr_t at, char *text, size_t size);
*/
import "C"

import (
	"cmp"
	"debug/elf"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/mpi"
)

// This file is the library of programs that are linked with -static-rank. Such a program is its
// own executable, with one process: plain.c, which calls the functions here. They run on the
// thread of the program.
//
// The run is a coroutine of these calls. It runs in three parts: up to the question for the number
// of processes, which bsp_begin answers; up to the process, which then belongs to the calls; and to
// its end at bsp_end. In between, a call of bsp_sync runs the end of the superstep by itself.

// section is the run that the program has begun last.
type section struct {
	name  string
	flags []string
	wrong error // in the flags

	next       func() (struct{}, bool) // continues the run; false: it has ended
	over       bool
	code       int // with that exit code
	rank       int
	used, exit int // the program's answer
	r          *runner
	failed     any // the value that the process has panicked with
}

var now section

// advance continues the run, and returns its exit code if it has ended, else -1.
func (s *section) advance() C.int {
	if _, goesOn := s.next(); goesOn {
		return -1
	}
	s.over = true
	return C.int(s.code)
}

// run begins a run, up to its first wait for the program.
func (s *section) run(main func(program func(*bsplib.Proc, *state) error, waits func()) int) C.int {
	if imports("mcbsp_direct_get") {
		C.migbsp_directs = 1
	}
	s.next, _ = iter.Pull(func(yield func(struct{}) bool) {
		waits := func() { yield(struct{}{}) }
		s.code = main(func(b *bsplib.Proc, st *state) error {
			st.begin(b)
			s.r = &runner{b: b, p: processOf(b), s: st, c: s.r.c}
			var err error
			if s.r.section, err = canRead(b); err == nil {
				err = entersSuperstep(b, s.r.section)
			}
			if err != nil {
				return fmt.Errorf("bsp_direct_get: %w", err)
			}
			waits()
			if s.failed != nil {
				panic(s.failed)
			}
			return nil
		}, waits)
	})
	return s.advance()
}

// begun sets the process's pid and the number of processes.
func (s *section) begun() {
	c, b := (*C.process)(s.r.c), s.r.b
	c.n = C.int(b.NProcs())
	C.migbsp_is(c, C.int(b.Pid()))
}

// does runs f, the work of a call of the process. If f fails the run ends, and does returns an exit
// code; otherwise it returns -1.
func (s *section) does(f func()) (code C.int) {
	defer func() {
		if s.failed = recover(); s.failed != nil {
			C.migbsp_flush()
			code = max(s.advance(), bsplib.ExitFailed)
		}
	}()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			s.r.faulted(v)
			panic(v)
		}
	}()
	f()
	return -1
}

//export migbsp_go_arguments
func migbsp_go_arguments(argc C.int, argv **C.char) (taken C.int) {
	var all []string
	for _, word := range unsafe.Slice(argv, int(argc)) {
		all = append(all, C.GoString(word))
	}
	if len(all) == 0 {
		return 0
	}
	now.name = all[0]
	var own []string
	if now.flags, own, now.wrong = Arguments(all[1:]); now.wrong != nil {
		return -1
	}
	return C.int(len(all) - 1 - len(own))
}

// migbsp_go_asks reports whether the flags ask for something else than a run, or are invalid.
//
//export migbsp_go_asks
func migbsp_go_asks() C.int {
	known := Flags()
	known.SetOutput(io.Discard)
	asks := known.Parse(now.flags) != nil
	known.Visit(func(f *flag.Flag) {
		asks = asks || slices.Contains([]string{"version", "print-config"}, f.Name) || f.Value.String() == "help"
	})
	if asks {
		return 1
	}
	return 0
}

// migbsp_go_executes reports whether process 0 makes the other processes execute functions.
//
//export migbsp_go_executes
func migbsp_go_executes() C.int {
	if imports("lpf_exec") {
		return 1
	}
	return 0
}

// imports reports whether the program calls a function of the library.
func imports(name string) bool {
	f, err := elf.Open("/proc/self/exe")
	if err != nil {
		return false
	}
	defer f.Close()
	names, err := f.ImportedSymbols()
	return err == nil && slices.ContainsFunc(names, func(s elf.ImportedSymbol) bool { return s.Name == name })
}

// migbsp_go_open begins a program, up to the maximum number of processes.
//
//export migbsp_go_open
func migbsp_go_open(c *C.process) C.int {
	s := &now
	s.name = cmp.Or(s.name, os.Args[0])
	if s.wrong != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(s.name), s.wrong)
		return bsplib.ExitUsage
	}
	foreign(1, ^uintptr(0), nameOf)
	os.Args = append([]string{s.name}, s.flags...)
	flag.CommandLine = flag.NewFlagSet(s.name, flag.ContinueOnError)
	heap := heapFlag(flag.CommandLine)
	s.r = &runner{c: c}
	return s.run(func(program func(*bsplib.Proc, *state) error, waits func()) int {
		return bsplib.MainHere(program, bsplib.Options{
			Description: "Runs a program of BSPlib in C, C++ or Fortran, one process on each rank.", HelpBy: helpBy, OwnOutput: true,
			CheckFlags: func(int) error {
				if *heap > 0 {
					return fmt.Errorf("-heap %s: a program that is linked with -static-rank has the heap of its system", heap)
				}
				return nil
			},
			ProcsBy: func(rank, procs int) (used, exit int) {
				s.rank, C.migbsp_procs = rank, C.int(procs)
				C.migbsp_is(c, C.int(rank))
				waits()
				return s.used, s.exit
			},
			OnSignal: func() { C.migbsp_flush() },
		})
	})
}

// migbsp_go_hook begins a section on a communicator.
//
//export migbsp_go_hook
func migbsp_go_hook(c *C.process, comm C.int) C.int {
	s := &now
	*s = section{name: cmp.Or(s.name, os.Args[0]), flags: s.flags, r: &runner{c: c}}
	os.Args = append([]string{s.name}, s.flags...)
	foreign(1, ^uintptr(0), nameOf)
	code := s.run(func(program func(*bsplib.Proc, *state) error, _ func()) int {
		err := bsplib.HereOn(mpi.Handle(comm), s.flags, program)
		if errors.Is(err, bsplib.ErrSettings) {
			return bsplib.ExitUsage
		}
		if e, is := errors.AsType[*bsplib.Error](err); is && s.r.b != nil && e.Rank != s.r.b.Rank() {
			return bsplib.ExitFailed // that rank prints the error
		}
		if err == nil {
			return bsplib.ExitOK
		}
		if s.r.b != nil { // others may find the same, and the first that ends for it ends all
			time.Sleep(time.Duration(min(s.r.b.Rank(), mostTurns)) * turn)
		}
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(s.name), err)
		return bsplib.ExitFailed
	})
	if code < 0 {
		s.begun()
	}
	return code
}

// Ranks on a communicator take turns in printing errors.
const (
	turn      = 100 * time.Millisecond
	mostTurns = 8
)

// migbsp_go carries out an operation of the process. It returns the exit code of a program that
// ends, else -1.
//
//export migbsp_go
func migbsp_go(op C.int) C.int {
	s := &now
	r := s.r
	switch {
	case op == C.OP_BEGIN:
		s.used = min(int(r.c.a), int(C.migbsp_procs))
		code := s.advance()
		switch {
		case code < 0:
			s.begun()
		case code == 0 && C.migbsp_returns != 0:
			if s.rank == s.used { // the first rank without a process
				s.say(fmt.Sprintf("bsp_begin: the program has begun MPI on more ranks than the %d that get a process: begin with all ranks, or call migbsp_hook on a communicator of some", s.used))
				mpi.EndAll(bsplib.ExitFailed)
				return bsplib.ExitFailed
			}
			select {} // that rank ends all
		}
		return code
	case r.b == nil: // before bsp_begin
		return s.leave(op)
	case s.over:
		s.say(C.GoString(&s.r.c.text[0]))
		return bsplib.ExitFailed
	}
	r.op = op
	return s.does(func() {
		if r.c.used > 0 {
			r.take()
		}
		switch op {
		case C.OP_FLUSH:
		case C.OP_SYNC:
			r.synchronise()
			r.sync()
			r.receive()
			entersSuperstep(r.b, r.section)
		case C.OP_END:
			C.migbsp_flush()
			if code := s.advance(); code > 0 {
				os.Exit(int(code))
			}
		default:
			r.fail(op)
		}
	})
}

// leave ends a process that has not reached bsp_begin.
func (s *section) leave(op C.int) C.int {
	s.used, s.exit = 0, int(s.r.c.a)
	if op != C.OP_EXIT {
		s.exit = bsplib.ExitFailed
	}
	if s.rank > 0 {
		s.exit |= left
	}
	C.migbsp_flush()
	if op != C.OP_EXIT && s.rank == 0 {
		s.say(C.GoString(&s.r.c.text[0]))
	}
	s.advance()
	othersGoOn := s.code == bsplib.ExitUsage
	if op != C.OP_EXIT && s.rank > 0 && othersGoOn {
		s.say(C.GoString(&s.r.c.text[0]))
	}
	if op == C.OP_EXIT && !othersGoOn {
		return -1
	}
	return bsplib.ExitFailed
}

// say prints the reason why the process ends.
func (s *section) say(why string) {
	c, site := s.r.c, ""
	if at := place(c); at != 0 {
		site = ", " + nameOf(at)
	}
	fmt.Fprintf(os.Stderr, "%s: process %d%s: %s\n", filepath.Base(s.name), s.rank, site, why)
}

// left is set in the exit code of a process other than 0 that ends before bsp_begin, so that its end
// shows even with code 0 if process 0 has begun.
const left = 256

// place returns the address of the process's call.
func place(c *C.process) uintptr {
	if at := uintptr(C.migbsp_interpreted()); at != 0 {
		return at
	}
	at := uintptr(c.site)
	if f := runtime.FuncForPC(at); f != nil {
		return 0
	}
	return at
}

// ownerOf returns -1: memory is the program's own.
func ownerOf(address uintptr) int { return -1 }

var modules = make(map[string]*places)

// nameOf returns file:line of a call with a return address, or its function.
func nameOf(site uintptr) string {
	if f, _ := runtime.CallersFrames([]uintptr{site}).Next(); f.File != "" {
		return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
	}
	var path [4096]C.char
	if C.migbsp_where(C.uintptr_t(site), &path[0], C.size_t(len(path))) != 0 {
		return C.GoString(&path[0])
	}
	bias := C.migbsp_module(C.uintptr_t(site), &path[0], C.size_t(len(path)))
	name := C.GoString(&path[0])
	if name == "" {
		return ""
	}
	m := modules[name]
	if m == nil {
		m = &places{object: Object{Path: name}}
		modules[name] = m
	}
	return m.at(uint64(site) - uint64(bias) - 1)
}
