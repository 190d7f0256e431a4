package bsplib_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/testrun/must"
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

// reverse: process i ends with the value of process p-1-i.
func reverse(b *bsplib.Proc, x int) int {
	mem := []int{x}
	area := bsplib.Register(b, mem)
	b.Sync()
	area.Put(b.NProcs()-1-b.Pid(), 0, mem[0])
	area.Pop()
	b.Sync()
	return mem[0]
}

func plus(a, b int) int { return a + b }

// platform reads a host file from a test.
func platform(t *testing.T, text string) *hostfile.File {
	t.Helper()
	return must.Get(hostfile.Parse("test.hosts", strings.NewReader(text)))(t)
}
