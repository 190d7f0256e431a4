package main

import "github.com/migbsp/migbsp/bsplib"

// home is the process that writes files: one on rank 0, where the user is, or process 0 if
// rank 0 has none. All processes agree on it.
//
// BSP cost: a superstep's.
func home(b *bsplib.Proc) int {
	for pid, rank := range bsplib.Allgather(b, []int{b.Rank()}) {
		if rank[0] == 0 {
			return pid
		}
	}
	return 0
}
