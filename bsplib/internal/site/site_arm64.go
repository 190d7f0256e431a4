package site

const hasSecondCallerPC = false

func secondCallerPC() uintptr { return 0 }

// Goroutine returns the address of the runtime's record of the calling goroutine: see the file for
// amd64.
func Goroutine() uintptr
