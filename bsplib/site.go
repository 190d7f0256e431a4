package bsplib

import "runtime"

// callSite is where the function that calls it was called: the program's line,
// when Sync asks. It takes a nanosecond or two where frame pointers can be
// followed, and a walk of the stack elsewhere.
//
//go:noinline
func callSite() uintptr {
	if framesWork {
		return secondCallerPC()
	}
	return slowCallerPC(4)
}

// framesWork tells whether following frame pointers leads to the same place as
// a walk of the stack.
var framesWork = hasSecondCallerPC && compareCallers()

//go:noinline
func compareCallers() bool { return compareFromBelow() }

//go:noinline
func compareFromBelow() bool { return secondCallerPC() == slowCallerPC(4) }

// slowCallerPC walks the stack; skip 3 gives the return address of the function
// that calls it, 4 that of the one above.
func slowCallerPC(skip int) uintptr {
	var pc [1]uintptr
	runtime.Callers(skip, pc[:])
	return pc[0]
}

// pcName is file:line of a return address, "" for none.
func pcName(pc uintptr) string {
	if pc == 0 {
		return ""
	}
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return siteName(f.File, f.Line)
}
