//go:build goexperiment.simd && amd64

package dense

import "simd/archsimd"

// A tile of C has four rows of two vectors. The compiler has fifteen vector registers for it, of either
// width; with larger tiles it runs out of them.
const (
	vectorRows    = 4
	maxVectorCols = 16
)

// vectorCols is the width of a tile of the kernels in use.
func vectorCols() int {
	if level == levelArchsimdAVX512 {
		return maxVectorCols
	}
	return maxVectorCols / 2
}

// sliverRow is a row of a sliver of B: as many columns as a tile has, and maybe unused room.
type sliverRow [maxVectorCols]float64

// tileVectors512 subtracts the product of four rows of equal length and a sliver of B from a tile of C.
// The sliver comes with the opposite sign.
func tileVectors512(a *[vectorRows][]float64, b []sliverRow, c []float64, ldc int) {
	a0 := a[0]
	a1, a2, a3 := a[1][:len(a0)], a[2][:len(a0)], a[3][:len(a0)]
	b = b[:len(a0)]
	r0, r1, r2, r3 := (*[16]float64)(c), (*[16]float64)(c[ldc:]), (*[16]float64)(c[2*ldc:]), (*[16]float64)(c[3*ldc:])
	c00, c01 := load512(r0)
	c10, c11 := load512(r1)
	c20, c21 := load512(r2)
	c30, c31 := load512(r3)
	for p := range a0 {
		b0, b1 := load512((*[16]float64)(&b[p]))
		s := archsimd.BroadcastFloat64x8(a0[p])
		c00, c01 = s.MulAdd(b0, c00), s.MulAdd(b1, c01)
		s = archsimd.BroadcastFloat64x8(a1[p])
		c10, c11 = s.MulAdd(b0, c10), s.MulAdd(b1, c11)
		s = archsimd.BroadcastFloat64x8(a2[p])
		c20, c21 = s.MulAdd(b0, c20), s.MulAdd(b1, c21)
		s = archsimd.BroadcastFloat64x8(a3[p])
		c30, c31 = s.MulAdd(b0, c30), s.MulAdd(b1, c31)
	}
	store512(r0, c00, c01)
	store512(r1, c10, c11)
	store512(r2, c20, c21)
	store512(r3, c30, c31)
}

func load512(x *[16]float64) (low, high archsimd.Float64x8) {
	return archsimd.LoadFloat64x8((*[8]float64)(x[:8])), archsimd.LoadFloat64x8((*[8]float64)(x[8:]))
}

func store512(x *[16]float64, low, high archsimd.Float64x8) {
	low.Store((*[8]float64)(x[:8]))
	high.Store((*[8]float64)(x[8:]))
}

// tileVectors256 is tileVectors512 for a tile of half the width.
func tileVectors256(a *[vectorRows][]float64, b []sliverRow, c []float64, ldc int) {
	a0 := a[0]
	a1, a2, a3 := a[1][:len(a0)], a[2][:len(a0)], a[3][:len(a0)]
	b = b[:len(a0)]
	r0, r1, r2, r3 := (*[8]float64)(c), (*[8]float64)(c[ldc:]), (*[8]float64)(c[2*ldc:]), (*[8]float64)(c[3*ldc:])
	c00, c01 := load256(r0)
	c10, c11 := load256(r1)
	c20, c21 := load256(r2)
	c30, c31 := load256(r3)
	for p := range a0 {
		b0, b1 := load256((*[8]float64)(b[p][:8]))
		s := archsimd.BroadcastFloat64x4(a0[p])
		c00, c01 = s.MulAdd(b0, c00), s.MulAdd(b1, c01)
		s = archsimd.BroadcastFloat64x4(a1[p])
		c10, c11 = s.MulAdd(b0, c10), s.MulAdd(b1, c11)
		s = archsimd.BroadcastFloat64x4(a2[p])
		c20, c21 = s.MulAdd(b0, c20), s.MulAdd(b1, c21)
		s = archsimd.BroadcastFloat64x4(a3[p])
		c30, c31 = s.MulAdd(b0, c30), s.MulAdd(b1, c31)
	}
	store256(r0, c00, c01)
	store256(r1, c10, c11)
	store256(r2, c20, c21)
	store256(r3, c30, c31)
}

func load256(x *[8]float64) (low, high archsimd.Float64x4) {
	return archsimd.LoadFloat64x4((*[4]float64)(x[:4])), archsimd.LoadFloat64x4((*[4]float64)(x[4:]))
}

func store256(x *[8]float64, low, high archsimd.Float64x4) {
	low.Store((*[4]float64)(x[:4]))
	high.Store((*[4]float64)(x[4:]))
}
