package move

import (
	"math"
	"runtime/debug"
	"sync"

	"github.com/migbsp/migbsp/bsplib/internal/process"
)

// headroomBytes is memory that is never touched, so that it takes address space alone: the
// collector counts it as live and lets the heap grow by as much before it begins. A process
// that arrives takes new memory for its state, and a heap of a few MiB is collected after
// every 4 MiB by Go's own rule: after each third move of 1 MiB. A collection stops all ranks
// that are goroutines of the program, and that move and those beside it took 0.3 ms longer.
// Much more would leave arriving processes in memory that was never touched, for longer.
const headroomBytes = 8 << 20

var headroom struct {
	once sync.Once
	mem  []byte
}

// unpack makes the process of an image. Where ranks share a heap it makes headroom before. A rank
// that is a program of its own stops nobody else, and is better off with the memory that it has
// used last. Who has limited the heap keeps the limit.
func (m *Mover) unpack(x *process.Image) (*process.Process, [][]byte, error) {
	if !m.settings.Alone {
		headroom.once.Do(func() {
			if debug.SetMemoryLimit(-1) == math.MaxInt64 {
				headroom.mem = make([]byte, headroomBytes)
			}
		})
	}
	return m.settings.Rank.Unpack(x)
}
