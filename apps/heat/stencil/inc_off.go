//go:build !ckernel || !cgo

package stencil

var inC []kernel
