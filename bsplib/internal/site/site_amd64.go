package site

// Goroutine returns the address of the runtime's record of the calling goroutine: no two goroutines
// that exist at the same time have the same. It takes a nanosecond. The result is 0 on processors
// for which it is not written.
func Goroutine() uintptr

const hasSecondCaller = true

// secondCaller returns the return address of its caller's caller, and Goroutine.
func secondCaller() (pc, goroutine uintptr)
