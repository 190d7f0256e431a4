package bsplib_test

import (
	"fmt"
	"reflect"

	"github.com/migbsp/migbsp/bsplib"
)

// equal returns an error of this process if got is not want.
func equal[T any](b *bsplib.Proc, what string, got, want T) error {
	if reflect.DeepEqual(got, want) {
		return nil
	}
	return fmt.Errorf("process %d of %d: %s: got %v, want %v", b.Pid(), b.NProcs(), what, got, want)
}

// right and left are the neighbours of a process in a ring.
func right(b *bsplib.Proc) int { return (b.Pid() + 1) % b.NProcs() }
func left(b *bsplib.Proc) int  { return (b.Pid() + b.NProcs() - 1) % b.NProcs() }

// numbers returns n numbers from first on.
func numbers(first, n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = first + i
	}
	return v
}
