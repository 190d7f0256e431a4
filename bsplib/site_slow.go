//go:build !amd64

package bsplib

const hasFrameCallerPC = false

func frameCallerPC() uintptr { return 0 }
