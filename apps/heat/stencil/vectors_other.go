//go:build !amd64 || purego || noasm

package stencil

var inVectors []kernel
