//go:build mpi && cgo

package mpi

import (
	"slices"
	"testing"
)

// No call of C looks often, and a waiter looks as often as it is to before it yields.
func TestLooks(t *testing.T) {
	for polls, calls := range map[int][]int{1: {1}, pollsAtOnce: {pollsAtOnce}, 3 * pollsAtOnce: slices.Repeat([]int{pollsAtOnce}, 3)} {
		w := waiter{polls: polls}
		var all []int
		w.looks(func(n int) bool { all = append(all, n); return false })
		if !slices.Equal(all, calls) {
			t.Errorf("%d looks are calls of %d, want %d", polls, all, calls)
		}
		found := 0
		if w.looks(func(int) bool { found++; return true }); found != 1 {
			t.Errorf("there were %d looks for what was there at the first", found)
		}
	}
}
