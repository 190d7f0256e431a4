//go:build linux

package load

import (
	"runtime"
	"testing"
	"time"
)

// Work cannot take less time than it takes of all processors.
func TestWork(t *testing.T) {
	const each = 2 * time.Millisecond
	took := Work(each, 5)
	if len(took) != 5 {
		t.Fatalf("%d times", len(took))
	}
	for _, d := range took {
		if d < each/time.Duration(runtime.NumCPU()) {
			t.Errorf("%v of work took %v", each, d)
		}
	}
}
