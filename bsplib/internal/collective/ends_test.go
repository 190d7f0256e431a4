package collective

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// A reduction has no pointer to what follows the memory that it combines, which may be an object that the
// collector has freed: it ends the program then.
func TestReductionsEndWithTheirMemory(t *testing.T) {
	const numbers = 2560 // all of an object of 20 KiB
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
