//go:build amd64

package bsplib

const hasFrameCallerPC = true

func frameCallerPC() uintptr
