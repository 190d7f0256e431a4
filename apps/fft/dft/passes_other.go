//go:build !amd64 || purego || noasm

package dft

var vectors = false

func (p pass) fast([]complex128, int, int, []complex128) bool { return false }

func fastRotate([]complex128, int, []complex128, []complex128, []complex128) bool { return false }

func fastFlip([]complex128, int, []complex128, int, int) bool { return false }
