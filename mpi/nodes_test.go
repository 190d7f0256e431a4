//go:build mpi && cgo

package mpi

import (
	"maps"
	"math/bits"
	"testing"
)

// TestRadix holds the number of messages of empty supersteps for any number of nodes,
// and sees that the steps of the rounds reach every distance.
func TestRadix(t *testing.T) {
	for nodes := 2; nodes <= 5000; nodes += 1 + nodes/100 {
		r := radix(nodes)
		rounds, messages := steps(nodes, r)
		if most := 2*bits.Len(uint(nodes-1)) + 2; messages > most {
			t.Errorf("%d nodes with radix %d: %d messages, want at most %d", nodes, r, messages, most)
		}
		if rounds > bits.Len(uint(nodes-1)) {
			t.Errorf("%d nodes with radix %d: %d rounds", nodes, r, rounds)
		}
		reached := map[int]bool{0: true}
		for unit := 1; unit < nodes; unit *= r {
			for d := range maps.Clone(reached) {
				for v := 1; v < r && v*unit < nodes; v++ {
					reached[d+v*unit] = true
				}
			}
		}
		for d := range nodes {
			if !reached[d] {
				t.Fatalf("%d nodes with radix %d: no rounds lead to distance %d", nodes, r, d)
			}
		}
	}
}
