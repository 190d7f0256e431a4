//go:build !purego && !noasm

package match

import "golang.org/x/sys/cpu"

// vectors reports whether the processor has AVX2. Tests change it.
var vectors = cpu.X86.HasAVX2

// Kernel names the kernel in use: "AVX2" or "generic".
func Kernel() string {
	if vectors {
		return "AVX2"
	}
	return "generic"
}

func screen(n int, pix []int16, roots *[lanes]float32, blocks []int16, limits []limit, hits []uint32) {
	if !vectors {
		screenGeneric(n, pix, roots, blocks, limits, hits)
		return
	}
	if len(limits) > 0 {
		_, _, _ = pix[lanes*n-1], blocks[len(limits)*Isometries*n-1], hits[len(limits)-1]
		screenAVX2(n, &pix[0], roots, &blocks[0], &limits[0], len(limits), &hits[0], float32(n/4))
	}
}

// screenAVX2 is screenGeneric for count > 0 blocks, without checks; n is a multiple of
// four.
//
//go:noescape
func screenAVX2(n int, pix *int16, roots *[lanes]float32, blocks *int16, limits *limit, count int, hits *uint32, slack float32)

func products(n int, pix, block []int16, sums *[Isometries]int32) {
	if !vectors {
		productsGeneric(n, pix, block, sums)
		return
	}
	_, _ = pix[(n/2-1)*2*lanes+1], block[Isometries*n-1]
	productsAVX2(n, &pix[0], &block[0], sums)
}

// productsAVX2 is productsGeneric without checks; n is a multiple of four.
//
//go:noescape
func productsAVX2(n int, pix, block *int16, sums *[Isometries]int32)
