//go:build !amd64 || race

package ahead

import "unsafe"

const canFetch = false

func fetch(p, at unsafe.Pointer) {}

func currentG() uintptr { return 0 }
