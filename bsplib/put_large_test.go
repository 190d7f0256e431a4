package bsplib_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// Lengths around those at which the library does things differently: a whole
// word, the share of a copy, the length that fits beside an offset.
var lengths = []int{1, 7, 8, 9, 4095, 256<<10 - 1, 256 << 10, 256<<10 + 5, 512<<10 + 256, 1<<20 + 77, 1<<24 - 8, 1<<24 + 9}

func TestLongPuts(t *testing.T) {
	eachLength(t, func(x bsplib.Area[byte], pid, offset int, values []byte) {
		x.Put(pid, offset, values...)
		clear(values)
	})
}

func TestLongHPPuts(t *testing.T) {
	eachLength(t, func(x bsplib.Area[byte], pid, offset int, values []byte) { x.HPPut(pid, offset, values...) })
}

// Two Puts that are short alone, but together too long for one header.
func TestPutsThatGoOnBeyond16MiB(t *testing.T) {
	eachLength(t, func(x bsplib.Area[byte], pid, offset int, values []byte) {
		half := len(values) / 2 &^ 7
		x.Put(pid, offset, values[:half]...)
		x.Put(pid, offset+half, values[half:]...)
	})
}

// eachLength puts values of each length into the next process's area, of
// either kind, and checks the area.
func eachLength(t *testing.T, put func(x bsplib.Area[byte], pid, offset int, values []byte)) {
	for _, n := range lengths {
		huge := n > 1<<20
		if huge && (testing.Short() || raceEnabled) {
			break
		}
		for _, alloc := range []bool{false, true} {
			if huge && !alloc {
				continue
			}
			t.Run(fmt.Sprintf("%dBytesAlloc=%v", n, alloc), func(t *testing.T) {
				bsptest.Run(t, 2, func(b *bsplib.Proc, _ *none) error {
					x, values := twoAreas(b, n+11, alloc)
					b.Sync()
					makePattern(values.Slice(), uint64(b.Pid()))
					put(x, right(b), 5, values.Slice()[:n])
					b.Sync()
					want := make([]byte, n+11)
					makePattern(want[5:5+n], uint64(left(b)))
					return equal(b, "the area is right", bytes.Equal(x.Slice(), want), true)
				})
			})
		}
	}
}

// twoAreas makes areas of n bytes, in memory of the engine or of the program.
func twoAreas(b *bsplib.Proc, n int, alloc bool) (x, y bsplib.Area[byte]) {
	if alloc {
		return bsplib.Alloc[byte](b, n), bsplib.Alloc[byte](b, n)
	}
	return bsplib.Register(b, make([]byte, n)), bsplib.Register(b, make([]byte, n))
}

// An HPPut may write as soon as it is called, but not before what the superstep before has
// written: its Puts, and its Gets at their destination.
func TestHPPutWritesAfterTheSuperstepBefore(t *testing.T) {
	for _, gets := range []bool{false, true} {
		bsptest.Run(t, 4, func(b *bsplib.Proc, _ *none) error {
			x, zeros := bsplib.Alloc[int](b, 2000), bsplib.Register(b, make([]int, 2000))
			b.Sync()
			for i := range 300 {
				switch {
				case gets && b.Pid() == 0:
					zeros.Get(1, 0, x.Slice())
				case !gets && b.Pid() == 1:
					x.Put(0, 0, zeros.Slice()...)
				}
				b.Sync()
				if b.Pid() == 3 {
					x.HPPut(0, 1999, i+1)
				}
				b.Sync()
				if b.Pid() == 0 && x.Slice()[1999] != i+1 {
					return fmt.Errorf("round %d, Gets %v: got %d", i, gets, x.Slice()[1999])
				}
				b.Sync()
			}
			return nil
		})
	}
}

// After Sync the values of an HPPut may be changed at once.
func TestValuesOfAnHPPutAreFreeAfterSync(t *testing.T) {
	bsptest.Run(t, 3, func(b *bsplib.Proc, _ *none) error {
		const n = 300 << 10
		x, values := twoAreas(b, n, true)
		b.Sync()
		for round := range 20 {
			for i := range values.Slice() {
				values.Slice()[i] = byte(round)
			}
			x.HPPut(right(b), 0, values.Slice()...)
			b.Sync()
			clear(values.Slice())
			for i, v := range x.Slice() {
				if v != byte(round) {
					return fmt.Errorf("round %d, byte %d is %d", round, i, v)
				}
			}
			b.Sync()
		}
		return nil
	})
}
