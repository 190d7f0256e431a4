//go:build !amd64

package site

const hasSecondCallerPC = false

func secondCallerPC() uintptr { return 0 }
