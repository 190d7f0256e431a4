//go:build !amd64

package bsplib

const hasSecondCallerPC = false

func secondCallerPC() uintptr { return 0 }
