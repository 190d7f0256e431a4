//go:build !amd64 || race

package collective

import "unsafe"

const hasVectorLoops = false

func addFloat64s(to, a, b unsafe.Pointer, n int) {}
func minFloat64s(to, a, b unsafe.Pointer, n int) {}
func maxFloat64s(to, a, b unsafe.Pointer, n int) {}
func addFloat32s(to, a, b unsafe.Pointer, n int) {}
func minFloat32s(to, a, b unsafe.Pointer, n int) {}
func maxFloat32s(to, a, b unsafe.Pointer, n int) {}
