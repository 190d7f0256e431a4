//go:build openblas && cgo

package openblas

/*
#cgo LDFLAGS: -lopenblas
#cgo noescape dense_gemm
#cgo nocallback dense_gemm
#cgo noescape dense_trsm
#cgo nocallback dense_trsm
#include <cblas.h>

static void dense_gemm(int m, int n, int k, const double *a, int lda, const double *b, int ldb, double *c, int ldc) {
	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, -1, a, lda, b, ldb, 1, c, ldc);
}

static void dense_trsm(int m, int n, const double *l, int ldl, double *b, int ldb) {
	cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, m, n, 1, l, ldl, b, ldb);
}
*/
import "C"

import (
	"strings"
	"unsafe"
)

func init() { C.openblas_set_num_threads(1) }

// Name returns version, tuning and threads, as in "OpenBLAS 0.3.21 SkylakeX one thread".
func Name() string {
	name := "OpenBLAS"
	if config := strings.Fields(C.GoString(C.openblas_get_config())); len(config) > 1 {
		name += " " + config[1]
	}
	return name + " " + C.GoString(C.openblas_get_corename()) + " one thread"
}

// Gemm is C -= A B with the first elements of row-major m x k, k x n and m x n matrices.
func Gemm(m, n, k int, a *float64, lda int, b *float64, ldb int, c *float64, ldc int) {
	C.dense_gemm(C.int(m), C.int(n), C.int(k), pointer(a), C.int(lda), pointer(b), C.int(ldb), pointer(c), C.int(ldc))
}

// TrsmLowerUnit is B = L⁻¹ B with the first elements of row-major m x m and m x n matrices.
func TrsmLowerUnit(m, n int, l *float64, ldl int, b *float64, ldb int) {
	C.dense_trsm(C.int(m), C.int(n), pointer(l), C.int(ldl), pointer(b), C.int(ldb))
}

func pointer(x *float64) *C.double { return (*C.double)(unsafe.Pointer(x)) }
