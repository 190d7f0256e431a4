//go:build goexperiment.simd && amd64

package dense

import "simd/archsimd"

// The kernels without assembly: in Go's experimental vector types, or else generic.

func archsimdLevels() []simdLevel {
	switch {
	case archsimd.X86.AVX512():
		return []simdLevel{levelArchsimdAVX512, levelArchsimdAVX2}
	case archsimd.X86.AVX2() && archsimd.X86.FMA():
		return []simdLevel{levelArchsimdAVX2}
	}
	return nil
}

func gemmPortable(m, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) {
	if level == levelGeneric {
		gemmGeneric(m, n, k, a, lda, b, ldb, c, ldc)
	} else {
		gemmVectors(m, n, k, a, lda, b, ldb, c, ldc)
	}
}

func trsmPortable(m, n int, l []float64, ldl int, b []float64, ldb int) {
	if level == levelGeneric {
		trsmGeneric(m, n, l, ldl, b, ldb)
	} else {
		trsmVectors(m, n, l, ldl, b, ldb)
	}
}

func gerPortable(rows, cols int, x []float64, incX int, y, a []float64, lda int) {
	if level == levelGeneric {
		gerGeneric(rows, cols, x, incX, y, a, lda)
	} else {
		gerVectors(rows, cols, x, incX, y, a, lda)
	}
}
