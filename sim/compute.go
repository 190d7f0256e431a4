package sim

import "slices"

// job is what a process computes in a superstep.
type job struct {
	pid  int
	work float64 // floating-point operations
	done float64 // when it has been computed
}

// compute finds when a host's jobs are done that all begin at the same time. They
// share its cores fairly: as long as there are more jobs than cores, each gets the
// same part of all cores, else each a core. The order of jobs is changed. full is what
// they take with the host's full share.
func (h *Host) compute(begin float64, jobs []job) (full float64) {
	slices.SortStableFunc(jobs, func(a, b job) int {
		switch {
		case a.work < b.work:
			return -1
		case a.work > b.work:
			return 1
		}
		return a.pid - b.pid
	})
	at, done := 0.0, 0.0 // seconds of the host at its full share; operations of each job
	for i := range jobs {
		j := &jobs[i]
		left := len(jobs) - i
		slower := max(1, float64(left)/float64(h.Cores))
		at += (j.work - done) * slower / h.Speed
		done = j.work
		j.done = h.Share.End(begin, at)
	}
	return at
}
