// Package meter times supersteps on the processes that call it. The times of Relation with
// more and more words give, with Fit, the parameters g and l of the machine as a BSP
// computer, which the tool's bench measures. bench/bsp takes the times of all its measures so.
package meter

import (
	"slices"

	"github.com/migbsp/migbsp/bsplib"
)

// Steps run in batches of about batchSeconds, long compared with the clock and short
// compared with the time slices of the operating system, so that the minimum over batches
// sees a quiet machine even when the machine is not quiet. A step that is slower than
// slowSeconds, twice, gets a batch of its own, with the Sync that ends one.
const (
	batchSeconds = 1e-3
	slowSeconds  = 2e-3

	minSteps   = 8
	minBatches = 5
	maxBatches = 400
)

// A Batch makes a number of supersteps; every process calls it with the same number. The
// loop over them is the caller's, so that only it comes between two steps.
type Batch func(steps int)

// Times are seconds per step, over batches.
type Times struct{ Min, Median float64 }

// Time repeats steps for about the given seconds and returns process 0's
// times on every process. Collective.
func Time(p *bsplib.Proc, seconds float64, do Batch) Times {
	steps, each := batchSize(p, do)
	batches := int(seconds / (float64(steps) * each))
	batches = max(minBatches, min(batches, maxBatches))
	samples := make([]float64, batches)
	for i := range samples {
		samples[i] = do.time(p, steps) / float64(steps)
	}
	slices.Sort(samples)
	return Times{samples[0], (samples[(batches-1)/2] + samples[batches/2]) / 2}
}

// batchSize finds the steps of a batch by doubling, which also warms up the
// library's buffers, and the seconds of one step.
func batchSize(p *bsplib.Proc, do Batch) (steps int, each float64) {
	do.time(p, 1)
	for steps = 1; ; steps *= 2 {
		each = max(do.time(p, steps)/float64(steps), 1e-9)
		if each > slowSeconds {
			each = min(each, do.time(p, steps)/float64(steps))
		}
		if each > slowSeconds {
			return 1, each
		}
		if float64(steps)*each > batchSeconds/2 {
			return max(int(batchSeconds/each), minSteps), each
		}
	}
}

// time returns process 0's seconds for some steps, on every process. The Sync after them
// makes it wait until the others have received the data of the last step.
func (do Batch) time(p *bsplib.Proc, steps int) float64 {
	p.Sync()
	begin := p.Time()
	do(steps)
	p.Sync()
	took := []float64{(p.Time() - begin).Seconds()}
	bsplib.Broadcast(p, 0, took)
	return took[0]
}
