package site

const hasSecondCaller = false

func secondCaller() (pc, goroutine uintptr) { return 0, 0 }

// Goroutine returns the address of the runtime's record of the calling goroutine: see the file for
// amd64.
func Goroutine() uintptr
