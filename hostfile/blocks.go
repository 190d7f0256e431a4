package hostfile

// Blocks is where the processes of a run begin: the rank of each. Each of the ranks, which are
// the slots in the order of the file, has a run of them.
func Blocks(processes, ranks int) []int32 {
	where := make([]int32, processes)
	for to := range ranks {
		for pid := to * processes / ranks; pid < (to+1)*processes/ranks; pid++ {
			where[pid] = int32(to)
		}
	}
	return where
}
