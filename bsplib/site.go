package bsplib

import "runtime"

// callSite is where the function that calls it was called: the program's line,
// if that function is exported and not inlined. callSite itself is inlined.
func callSite() uintptr {
	if quickPC {
		return frameCallerPC()
	}
	return slowCallerPC(4)
}

// quickPC tells whether frameCallerPC works here: the return address of the
// function that calls it, in about a nanosecond.
var quickPC = hasFrameCallerPC && quickMatchesSlow()

//go:noinline
func quickMatchesSlow() bool { return frameCallerPC() == slowCallerPC(3) }

// slowCallerPC walks the stack; skip 3 gives what frameCallerPC would.
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
