package main

import (
	"slices"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/bsplib"
)

// Steps run in batches of about batchSeconds, long against the clock and short
// against the time slices of the operating system, so that the minimum over
// batches sees a quiet machine even when the machine is not quiet. A step that
// is slower than slowSeconds gets a batch of its own.
const (
	batchSeconds = 1e-3
	slowSeconds  = 2e-3

	minSteps   = 8
	minBatches = 5
	maxBatches = 400
)

// A step is one superstep of n operations, Sync included; every process calls
// it with the same n.
type step func(b *bench, n int)

// timing holds seconds per step, over batches.
type timing struct{ min, median float64 }

// time repeats a step for about the given seconds and returns process 0's
// timing on every process. Collective.
func (b *bench) time(do step, n int, seconds float64) timing {
	steps, each := b.batchSize(do, n)
	batches := int(seconds / (float64(steps) * each))
	batches = max(minBatches, min(batches, maxBatches))
	samples := make([]float64, batches)
	for i := range samples {
		samples[i] = b.batch(do, n, steps) / float64(steps)
	}
	return timing{slices.Min(samples), frame.Median(samples)}
}

// batchSize finds the steps of a batch by doubling, which also warms up the
// library's buffers, and the seconds of one step.
func (b *bench) batchSize(do step, n int) (steps int, each float64) {
	b.batch(do, n, 1)
	for steps = 1; ; steps *= 2 {
		each = max(b.batch(do, n, steps)/float64(steps), 1e-9)
		if each > slowSeconds {
			return 1, each
		}
		if float64(steps)*each > batchSeconds/2 {
			return max(int(batchSeconds/each), minSteps), each
		}
	}
}

// batch returns process 0's seconds for some steps, on every process. The Sync
// behind them makes it wait until the others have what the last step brought.
func (b *bench) batch(do step, n, steps int) float64 {
	b.Sync()
	begin := b.Time()
	for range steps {
		do(b, n)
	}
	b.Sync()
	took := []float64{(b.Time() - begin).Seconds()}
	bsplib.Broadcast(b.Proc, 0, took)
	return took[0]
}
