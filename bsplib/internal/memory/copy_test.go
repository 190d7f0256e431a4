package memory_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
)

func copyBytes(to, from []byte) { memory.Copy(memory.At(to), memory.At(from), len(to)) }

// copyLengths are on both sides of those at which another way of copying begins.
var copyLengths = []int{1, 7, 8, 9, 4095, 4096, 4097, 8191, 65_536, 100_003, 8<<20 - 1, 8 << 20, 8<<20 + 5}

// A copy is of these bytes and no others, wherever they lie in a word or a line.
func TestCopies(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	from, to := make([]byte, 9<<20), make([]byte, 9<<20)
	for i := range from {
		from[i] = byte(random.Uint32())
	}
	for _, n := range copyLengths {
		for _, skip := range [][2]int{{0, 0}, {0, 1}, {1, 0}, {8, 24}, {63, 65}} {
			guard := to[:n+skip[1]+64]
			clear(guard)
			copyBytes(to[skip[1]:skip[1]+n], from[skip[0]:skip[0]+n])
			want := make([]byte, len(guard))
			copy(want[skip[1]:], from[skip[0]:skip[0]+n])
			if !bytes.Equal(guard, want) {
				t.Errorf("%d bytes from %d to %d: others were written, or not all", n, skip[0], skip[1])
			}
		}
	}
}

// BenchmarkCopies is how fast the library copies within a core, beside Go's copy.
func BenchmarkCopies(b *testing.B) {
	from, to := make([]byte, 2<<20), make([]byte, 2<<20)
	ways := []struct {
		name string
		copy func(to, from []byte)
	}{{"library", copyBytes}, {"Go", func(to, from []byte) { copy(to, from) }}}
	for _, n := range []int{4 << 10, 8 << 10, 64 << 10, 1 << 20} {
		for _, skip := range [][2]int{{0, 0}, {8, 0}, {0, 8}, {0, 40}, {5, 0}} {
			for _, way := range ways {
				b.Run(fmt.Sprintf("%d_%dto%d/%s", n, skip[0], skip[1], way.name), func(b *testing.B) {
					b.SetBytes(int64(n))
					for b.Loop() {
						way.copy(to[skip[1]:skip[1]+n], from[skip[0]:skip[0]+n])
					}
				})
			}
		}
	}
}
