//go:build mpi && cgo

package mpi

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"testing"
	"unsafe"
)

// attachSides are two buffers of this process: data lies here, and memory "there". Both
// begin at a page.
func attachSides(t testing.TB, n int) (here, there []byte) {
	begin := func() []byte {
		b := make([]byte, n+2*(pageMask+1))
		return b[-uintptr(unsafe.Pointer(&b[0]))&pageMask:]
	}
	here, there = begin(), begin()
	if err := attachCopy(false, os.Getpid(), uintptr(unsafe.Pointer(&there[0])), here[:1]); err != nil {
		t.Skip(err)
	}
	return here, there
}

// Bytes arrive unchanged and no others are written, for all alignments of source and target.
func TestAttachCopyAtAnyOffset(t *testing.T) {
	const most = 200_000
	here, there := attachSides(t, most)
	for _, n := range []int{1, 31, 4096, detourPart, detourPart + 1, most} {
		for _, skips := range [][2]int{{0, 0}, {0, 1}, {0, 8}, {8, 0}, {31, 0}, {0, 31}, {0, 32}, {4095, 0}, {3, 11}} {
			for _, to := range []bool{false, true} {
				rand.Read(here)
				rand.Read(there)
				source, target := there[skips[1]:][:n], here[skips[0]:][:n]
				whole := here
				if to {
					source, target, whole = target, source, there
				}
				want := bytes.Clone(whole)
				copy(want[cap(whole)-cap(target):], source)
				if err := attachCopy(to, os.Getpid(), uintptr(unsafe.Pointer(&there[skips[1]])), here[skips[0]:][:n]); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(whole, want) {
					t.Errorf("to=%v: %d bytes at offsets %v: wrong bytes at the target", to, n, skips)
				}
			}
		}
	}
}

func TestAttachCopyFails(t *testing.T) {
	here, there := attachSides(t, 4096)
	at := uintptr(unsafe.Pointer(&there[0]))
	for _, skip := range []int{0, 8} { // without and with a detour
		if attachCopy(false, 1<<30, at, here[skip:][:100]) == nil {
			t.Errorf("offset %d: no error for a process that does not exist", skip)
		}
	}
}

func BenchmarkAttachCopy(b *testing.B) {
	here, there := attachSides(b, 1<<20)
	for _, n := range []int{16 << 10, 64 << 10, 1 << 20} {
		for _, skip := range []int{0, 8, 40} {
			for _, to := range []bool{false, true} {
				data, at := here[skip:][:n], uintptr(unsafe.Pointer(&there[0]))
				if to {
					data, at = here[:n], at+uintptr(skip)
				}
				b.Run(fmt.Sprintf("%d_at%d_to=%v", n, skip, to), func(b *testing.B) {
					b.SetBytes(int64(n))
					for b.Loop() {
						if err := attachCopy(to, os.Getpid(), at, data); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
