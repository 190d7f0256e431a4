package process

import (
	"math"
	"runtime/debug"

	"github.com/migbsp/migbsp/probe"
)

// Fits reports whether n elements of that size fit into the memory that the machine has left. It
// looks only if they are many. Before it returns false it has the garbage collector give memory of
// popped areas back.
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
