//go:build !amd64 && !arm64

package site

const hasSecondCaller = false

func secondCaller() (pc, goroutine uintptr) { return 0, 0 }

// Goroutine returns 0: see the file for amd64.
func Goroutine() uintptr { return 0 }
