//go:build !purego && !noasm

package stencil

import "golang.org/x/sys/cpu"

// inVectors are the kernels in vector instructions that this processor has.
var inVectors = vectorKernels()

func vectorKernels() []kernel {
	if !cpu.X86.HasAVX2 {
		return nil
	}
	return []kernel{{"AVX2", avx2}}
}

// lanes is the number of cells in a vector.
const lanes = 4

// avx2 is the kernel in vector instructions. Lines that are shorter than one are Go's.
func avx2(to, from []float64, b Block, w *Weights, first, end int) {
	if b.X < lanes {
		plain(to, from, b, w, first, end)
		return
	}
	for z := range b.Layers() {
		for y := first; y < end; y++ {
			if at := b.At(0, y, z); b.Z == 0 {
				line2AVX2(&to[at], &from[at], b.X, b.Line(), w)
			} else {
				line3AVX2(&to[at], &from[at], b.X, b.Line(), b.Layer(), w)
			}
		}
	}
}

// line2AVX2 and line3AVX2 are line2 and line3 for n cells, at least lanes of them, with
// neighbours at distances of y and z cells. They may compute a cell twice.
//
//go:noescape
func line2AVX2(to, from *float64, n, y int, w *Weights)

//go:noescape
func line3AVX2(to, from *float64, n, y, z int, w *Weights)
