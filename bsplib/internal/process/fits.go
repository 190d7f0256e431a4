package process

import (
	"math"
	"runtime/debug"

	"github.com/migbsp/migbsp/probe"
)

// Fits reports whether n elements of the given size fit into the machine's free memory. It assumes
// that less than 64 MiB fit. Before it returns false, it makes the garbage collector return the
// memory of popped areas to the system.
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
