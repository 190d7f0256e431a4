package process

import (
	"math"
	"runtime/debug"

	"github.com/migbsp/migbsp/probe"
)

// Fits reports whether n elements of that size fit into what memory the machine has
// left. It looks only when they are many, and before it says no it has the garbage
// collector give back what popped areas have left.
func Fits(n, size int) bool {
	const many = 64 << 20
	if n < many/size {
		return true
	}
	enough := func() bool {
		available := probe.AvailableMemory()
		return available == 0 || int64(n*size) <= available
	}
	if n > math.MaxInt/size {
		return false
	}
	if enough() {
		return true
	}
	debug.FreeOSMemory()
	return enough()
}
