package collective

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// A reduction keeps no pointer past the end of the memory that it combines. Such a pointer may refer
// to a freed object, and the garbage collector then ends the program.
func TestReductionsEndWithTheirMemory(t *testing.T) {
	const numbers = 2560 // fills an object of 20 KiB
	kept := make([][]float64, 0, 64)
	for range cap(kept) {
		kept = append(kept, make([]float64, numbers))
		_ = make([]byte, numbers*8)
	}
	var over atomic.Bool
	collected := make(chan struct{})
	go func() {
		defer close(collected)
		for range 50 {
			runtime.GC()
		}
		over.Store(true)
	}()
	sum := byLoop[float64](adding[float64]{})
	for i := 0; !over.Load(); i++ {
		x := kept[i%len(kept)]
		sum.apply(x, x, x)
	}
	<-collected
	runtime.GC()
}
