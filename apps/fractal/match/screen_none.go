//go:build !amd64 || purego || noasm

package match

// Kernel names the kernel in use: "AVX2" or "generic".
func Kernel() string { return "generic" }

func screen(n int, pix []int16, roots *[lanes]float32, blocks []int16, limits []limit, hits []uint32) {
	screenGeneric(n, pix, roots, blocks, limits, hits)
}

func products(n int, pix, block []int16, sums *[Isometries]int32) {
	productsGeneric(n, pix, block, sums)
}
