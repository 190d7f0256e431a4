//go:build !race

package state

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// hasMixLines reports whether the processor multiplies eight words at a time.
var hasMixLines = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ

// mixLines mixes n bytes, whole lines, into the lanes with these multipliers.
//
//go:noescape
func mixLines(lanes *digestLanes, b unsafe.Pointer, n int, word, lane uint64)
