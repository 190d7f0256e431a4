package bsplib

import (
	"math"
	"runtime/debug"
	"sync"
)

// headroomBytes is memory that is never touched, so that it takes address space alone: the
// collector counts it as live and lets the heap grow by as much before it begins. A process
// that arrives takes new memory for its state, and a heap of a few MiB is collected after
// every 4 MiB by Go's own rule: after each third move of 1 MiB, which then took 0.3 ms longer.
// Garbage of no more than this stays in the processor's last cache.
const headroomBytes = 8 << 20

var headroom struct {
	once sync.Once
	mem  []byte
}

// makeHeadroom is for programs whose processes move. Who has limited the heap keeps the
// limit.
func makeHeadroom() {
	headroom.once.Do(func() {
		if debug.SetMemoryLimit(-1) == math.MaxInt64 {
			headroom.mem = make([]byte, headroomBytes)
		}
	})
}
