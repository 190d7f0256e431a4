package memory_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
)

func copyBytes(to, from []byte) { memory.Copy(memory.At(to), memory.At(from), len(to)) }

// goCopy is not inlined, so that the compiler can assume neither length nor alignment.
//
//go:noinline
func goCopy(to, from []byte) { copy(to, from) }

// copyLengths includes lengths on both sides of each length at which Copy or Go's copy changes its
// method.
var copyLengths = []int{
	1, 7, 8, 9, 15, 16, 17, 64, 255, 256, 257, 2047, 2048, 4095, 4096, 4097, 8191, 65_536, 100_003,
	512<<10 - 1, 512 << 10, 512<<10 + 1, 1<<20 - 1, 1 << 20, 1<<20 + 9, 8<<20 - 1, 8 << 20, 8<<20 + 5,
}

func random(n int) []byte {
	source := rand.NewChaCha8([32]byte{1})
	b := make([]byte, n)
	source.Read(b)
	return b
}

// checkCopy copies n bytes within or between buffers, and compares all bytes of the target
// buffer with a copy from a clone of the source.
func checkCopy(t testing.TB, buffer, source []byte, to, from, n int) {
	t.Helper()
	want := bytes.Clone(buffer)
	copy(want[to:], bytes.Clone(source[from:from+n]))
	copyBytes(buffer[to:to+n], source[from:from+n])
	if !bytes.Equal(buffer, want) {
		t.Errorf("copy of %d bytes from %d to %d: wrong bytes in the target buffer", n, from, to)
	}
}

func TestCopyWritesItsBytesOnly(t *testing.T) {
	const margin = 192
	source := random(9 << 20)
	target := make([]byte, 9<<20)
	for _, n := range copyLengths {
		skips := [][2]int{{0, 0}, {0, 8}, {63, 65}}
		if n <= 1<<20 {
			skips = append(skips, [][2]int{{0, 1}, {1, 0}, {8, 24}, {16, 0}}...)
		}
		if n <= 4097 {
			for skip := range 128 {
				skips = append(skips, [2]int{0, skip}, [2]int{skip, 0}, [2]int{skip, 127 - skip})
			}
		}
		for _, skip := range skips {
			checkCopy(t, target[:n+margin], source, skip[1], skip[0], n)
		}
	}
}

// Within one buffer Copy behaves like Go's copy at every length and distance.
func TestCopyOverlapping(t *testing.T) {
	for _, n := range copyLengths {
		for _, distance := range []int{1, 8, 63, 64, 4096, 512 << 10, 700_001} {
			if distance >= n || n > 1<<20 && distance < 4096 && distance != 8 {
				continue
			}
			checkOverlap(t, 8, 8+distance, n)
			checkOverlap(t, 8+distance, 8, n)
		}
	}
}

func checkOverlap(t testing.TB, to, from, n int) {
	t.Helper()
	buffer := random(max(to, from) + n + 64)
	checkCopy(t, buffer, buffer, to, from, n)
}

func FuzzCopy(f *testing.F) {
	f.Add(uint32(4096), uint16(0), uint16(8), false)
	f.Add(uint32(1<<20), uint16(8), uint16(0), true)
	f.Fuzz(func(t *testing.T, n uint32, from, to uint16, same bool) {
		length := int(n % (9 << 20))
		if same {
			checkOverlap(t, int(to), int(from), length)
			return
		}
		source, target := random(int(from)+length), make([]byte, int(to)+length+64)
		checkCopy(t, target, source, int(to), int(from), length)
	})
}

// BenchmarkCopies compares Copy with Go's copy at offsets modulo a cache line, and at
// addresses that agree modulo a page.
func BenchmarkCopies(b *testing.B) {
	from, to := make([]byte, 64<<20+8192), make([]byte, 64<<20+8192)
	methods := []struct {
		name string
		copy func(to, from []byte)
	}{{"Copy", copyBytes}, {"Go", goCopy}}
	for _, n := range []int{64, 512, 4 << 10, 8 << 10, 64 << 10, 512 << 10, 1 << 20, 4 << 20, 64 << 20} {
		for _, skip := range [][2]int{{0, 0}, {8, 0}, {0, 8}, {0, 40}, {5, 0}, {0, 2056}} {
			for _, m := range methods {
				b.Run(fmt.Sprintf("%d_%dto%d/%s", n, skip[0], skip[1], m.name), func(b *testing.B) {
					b.SetBytes(int64(n))
					for b.Loop() {
						m.copy(to[skip[1]:skip[1]+n], from[skip[0]:skip[0]+n])
					}
				})
			}
		}
	}
}
