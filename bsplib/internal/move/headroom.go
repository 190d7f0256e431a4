package move

import (
	"math"
	"runtime/debug"
	"sync"

	"github.com/migbsp/migbsp/bsplib/internal/process"
)

// headroomBytes is the size of a block of memory that is never touched, and therefore takes
// only address space. The garbage collector counts it as live, and starts later. Without it, a
// heap of a few MiB is collected after every 4 MiB of allocation, that is, after every third
// move of 1 MiB. A collection stops all ranks in the program, and made the move that started
// it and concurrent moves 0.3 ms slower. A much larger block would make arriving processes use
// fresh memory for longer.
const headroomBytes = 8 << 20

var headroom struct {
	once sync.Once
	mem  []byte
}

// unpack returns the process of an image. If ranks share a heap, it allocates the headroom
// first, unless the user has set a memory limit. A rank with its own heap stops no other rank,
// and is faster if it reuses memory soon.
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
