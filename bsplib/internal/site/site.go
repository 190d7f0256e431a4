// Package site finds and names lines of the program: where it calls the library.
package site

import (
	"fmt"
	"path"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

// OfProgram returns the innermost line on the stack that is the program's.
func OfProgram() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !ownLine(f) {
			return At(f.File, f.Line)
		}
		if !more {
			return ""
		}
	}
}

// library is the directory of the library's files. Library frames are recognized by it, not by the
// names of functions, which change when the compiler inlines.
var library = func() string {
	_, file, _, _ := runtime.Caller(0)
	return path.Dir(path.Dir(path.Dir(file)))
}()

// standard is the directory of the standard library, "" in programs whose paths are trimmed (go build
// -trimpath).
var standard = func() string {
	file, _ := runtime.FuncForPC(reflect.ValueOf(runtime.GC).Pointer()).FileLine(0)
	return strings.TrimSuffix(path.Dir(file), "runtime")
}()

// undotted contains the paths of the program's modules that, as the standard library's packages, have no
// dot in their first element.
var undotted = func() (all []string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, m := range append(info.Deps, &info.Main) {
		if first, _, _ := strings.Cut(m.Path, "/"); first != "" && !strings.Contains(first, ".") {
			all = append(all, m.Path+"/", m.Path+"@")
		}
	}
	return append(all, "command-line-arguments/")
}()

// inStandard reports whether a file is part of the standard library. Trimmed paths begin with the path
// of a module, or of a package of the standard library.
func inStandard(file string) bool {
	if standard != "" {
		return strings.HasPrefix(file, standard)
	}
	first, _, _ := strings.Cut(file, "/")
	return first != "" && !strings.Contains(first, ".") &&
		!slices.ContainsFunc(undotted, func(module string) bool { return strings.HasPrefix(file, module) })
}

// ownLine reports whether a line is part of the library or of the standard library.
func ownLine(f runtime.Frame) bool {
	folder := path.Dir(f.File)
	own := folder == library || strings.HasPrefix(folder, library+"/internal/")
	return own && !strings.HasSuffix(f.File, "_test.go") || inStandard(f.File) ||
		strings.HasPrefix(f.Function, "runtime.") || strings.HasPrefix(f.Function, "iter.")
}

// OfStack is OfProgram for the text of another goroutine's stack, in the format of package runtime.
func OfStack(stack string) string {
	lines := strings.Split(stack, "\n")
	for i := 1; i+1 < len(lines); i += 2 {
		at, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " ")
		file, number, _ := strings.Cut(at, ".go:")
		line, err := strconv.Atoi(number)
		if err != nil || strings.HasPrefix(lines[i], "created by ") {
			return ""
		}
		if f := (runtime.Frame{Function: lines[i], File: file + ".go"}); !ownLine(f) {
			return At(f.File, line)
		}
	}
	return ""
}

// At returns the text for a line, "" for none.
func At(file string, line int) string {
	if file == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", path.Base(file), line)
}

// OfCall returns the return address of the function that calls it: in Sync, the program's line. It
// takes a nanosecond or two if frame pointers can be followed, and a walk of the stack elsewhere.
//
//go:noinline
func OfCall() uintptr {
	if framesWork {
		pc, _ := secondCaller()
		return pc
	}
	return Walk(4)
}

// OfCallOn returns OfCall and Goroutine, in the time of one of them.
//
//go:noinline
func OfCallOn() (pc, goroutine uintptr) {
	if framesWork {
		return secondCaller()
	}
	return Walk(4), Goroutine()
}

// framesWork reports whether following frame pointers leads to the same caller as a walk of the
// stack.
var framesWork = hasSecondCaller && compareCallers()

//go:noinline
func compareCallers() bool { return compareFromBelow() }

//go:noinline
func compareFromBelow() bool {
	pc, _ := secondCaller()
	return pc == Walk(4)
}

// Walk walks the stack; skip 3 gives the return address of the function that calls it, 4 its
// caller's.
func Walk(skip int) uintptr {
	var pc [1]uintptr
	runtime.Callers(skip, pc[:])
	return pc[0]
}

// Foreign sets the range, from low to high, of return addresses in code that Go's runtime does not
// know, and the function that names them. It is called once, before such code runs.
func Foreign(low, high uintptr, name func(pc uintptr) string) {
	foreign.low, foreign.high, foreign.name = low, high, name
}

var foreign struct {
	low, high uintptr
	name      func(pc uintptr) string
}

// Name returns the file:line of a return address, "" for 0.
func Name(pc uintptr) string {
	if pc == 0 {
		return ""
	}
	if pc >= foreign.low && pc < foreign.high {
		return foreign.name(pc)
	}
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return At(f.File, f.Line)
}

// Names caches lines, because very many processes share them.
type Names map[uintptr]string

// Of returns Name(pc), looked up once.
func (n Names) Of(pc uintptr) string {
	name, known := n[pc]
	if !known {
		name = Name(pc)
		n[pc] = name
	}
	return name
}
