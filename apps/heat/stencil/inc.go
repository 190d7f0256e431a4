//go:build ckernel && cgo

package stencil

import "github.com/migbsp/migbsp/apps/heat/stencil/internal/inc"

// inC is the kernel in C, with -tags ckernel.
var inC = []kernel{{"C", func(to, from []float64, b Block, w *Weights, first, end int) {
	inc.Sweep(to, from, b.X, b.Line(), b.Layer(), b.Z, first, end, w.Own, w.Beside)
}}}
