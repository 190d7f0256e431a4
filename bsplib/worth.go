package bsplib

import (
	"time"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// due tells whether it is time for a call: by the controller's pace, or because
// a stage loop ends and moves have still to prove that they paid.
func (b *balance) due(all mpi.Flags) bool {
	return all&flagWorth != 0 && (b.controller.Due(b.observations) || all&flagLast != 0 && b.controller.Pending())
}

// worth tells whether a call at the end of this stage would take no more than a
// small part of the time still to come, or after the last stage, where it can
// only judge moves, of the run; as far as this rank knows. Without the guard it
// always is. left is the number of stages to come.
func (b *balance) worth(r *rank, left int) bool {
	if !b.controller.Guarded() {
		return true
	}
	if b.steps == 0 {
		return false
	}
	elapsed := (r.clock.Now() - b.mark).Seconds()
	if left == 0 {
		return rebalancer.WorthAtTheEnd(b.cost(r), r.clock.Now().Seconds())
	}
	return rebalancer.Stake{
		Cost:      b.cost(r),
		Remaining: elapsed / float64(b.steps) * float64(left*max(b.perStage, b.class+1)),
		Idle:      1 - b.busy.Seconds()*float64(b.stride)/elapsed,
		Fruitless: b.fruitless,
	}.Worth()
}

// cost is what a call takes: as the last one, or else an estimate.
func (b *balance) cost(r *rank) float64 {
	if b.called > 0 {
		return b.called
	}
	return b.platform.FirstCost(r.n)
}

// What observing a superstep takes, for its rank and for each process there, is
// to be a small part of the time between two that are observed: at least so
// long.
const (
	leastBetween = 300 * time.Microsecond
	leastProcess = 60 * time.Microsecond
	mostStride   = 4096
)

// short tells whether observed stages follow one another too fast, as far as
// this rank knows.
func (b *balance) short(r *rank) bool {
	if b.steps == 0 {
		return false
	}
	between := (r.clock.Now() - b.mark) / time.Duration(b.steps) * time.Duration(b.stride)
	return between < r.clock.OwnWork(leastBetween+leastProcess*time.Duration(len(r.procs)))
}

// strideFor is how many stages go with one that is observed, when supersteps
// take so many seconds and there are so many processes on each rank.
func strideFor(seconds float64, procs int) int {
	stride := 1
	for seconds*float64(stride) < (leastBetween+leastProcess*time.Duration(procs)).Seconds() && stride < mostStride {
		stride *= 2
	}
	return stride
}
