package match

// screenGeneric finds for which isometries of blocks four domains may be better than the
// best so far: byte q of hits[i] has bit k set if the inner product of domain q and
// isometry k of block i, or its negative, plus a quarter of the pixels, reaches both
// limits[i].slope*roots[q] and limits[i].floor. That quarter bounds the difference between
// inner product and covariance, because means are rounded.
//
// Blocks have n pixels, at most 1024, so that sums of products fit into 32 bits. Their number is
// even.
func screenGeneric(n int, pix []int16, roots *[lanes]float32, blocks []int16, limits []limit, hits []uint32) {
	slack := float32(n / 4)
	for i, l := range limits {
		block := blocks[i*Isometries*n:][:Isometries*n]
		hit := uint32(0)
		for q, root := range roots {
			least := max(float32(l.slope*root), l.floor) - slack
			hit |= reach(n, pix[2*q:], block, least) << (8 * q)
		}
		hits[i] = hit
	}
}

// reach returns the set of isometries of a block whose inner product with a domain, or its negative,
// reaches a limit.
func reach(n int, pix, block []int16, least float32) uint32 {
	var sums [Isometries]int32
	productsGeneric(n, pix, block, &sums)
	hit := uint32(0)
	for k, sum := range sums {
		if float32(max(sum, -sum)) >= least {
			hit |= 1 << k
		}
	}
	return hit
}

// productsGeneric makes the inner products of a domain, whose first pixels pix begins with,
// and all isometries of a block.
func productsGeneric(n int, pix, block []int16, sums *[Isometries]int32) {
	clear(sums[:])
	for j := range n / 2 {
		a, b := int32(pix[j*2*lanes]), int32(pix[j*2*lanes+1])
		pairs := (*[2 * Isometries]int16)(block[j*2*Isometries:])
		for k := range sums {
			sums[k] += a*int32(pairs[2*k]) + b*int32(pairs[2*k+1])
		}
	}
}
