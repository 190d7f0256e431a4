package dense

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"
)

// fenced returns a copy of x that ends where unmapped memory begins: an element read or written behind
// it stops the test.
func fenced(t *testing.T, x []float64) []float64 {
	t.Helper()
	page := syscall.Getpagesize()
	size := (len(x)*8 + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { syscall.Munmap(mem) })
	if err := syscall.Mprotect(mem[size:], syscall.PROT_NONE); err != nil {
		t.Skip(err)
	}
	y := floats(mem[size-len(x)*8:][:len(x)*8])
	copy(y, x)
	return y
}

func TestNothingBehindTheEnd(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(23, 24))
		for _, s := range [][3]int{{1, 1, 1}, {3, 5, 2}, {8, 24, 8}, {9, 25, 9}, {50, 50, 50}, {7, 15, 64}, {16, 5, 4}, {20, 2, 3}, {45, 71, 33}, {40, 20, 300}} {
			m, n, k := s[0], s[1], s[2]
			a, b, c := newMatrix(r, m, k, 0), newMatrix(r, k, n, 0), newMatrix(r, m, n, 0)
			l, x := newMatrix(r, m, m, 0), newMatrix(r, m, 1, 0)
			fa, fb, fc := fenced(t, a.data), fenced(t, b.data), fenced(t, c.data)
			gemmBuiltin(m, n, k, fa, k, fb, n, fc, n)
			trsmBuiltin(m, n, fenced(t, l.data), m, fc, n)
			Ger(m, n, fenced(t, x.data), 1, fb[len(fb)-n:], fc, n)
			Eliminate(m, n, fb[len(fb)-n:], fc, n)
			Getrf(m, m, fenced(t, l.data), m, make([]int, m))
		}
	})
}

// floats views bytes, aligned to eight, as float64s.
func floats(b []byte) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}
