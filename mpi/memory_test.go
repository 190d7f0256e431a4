package mpi_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

const (
	manyRanks    = 4096
	mostExchange = 16 << 20 // limit for the exchange, per rank of manyRanks
)

// The memory that a rank takes for exchanges grows with the number of ranks, not with its
// square, and stays small with thousands: also when each has sent to each, on both lanes
// and with both buffers.
func TestMemoryOfTheExchangeInProcess(t *testing.T) {
	perPair := func(n int) float64 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		mpitest.OnRanks(n)(t, func(c mpi.Comm) error {
			var all error
			for k := range 2 * mpi.Lanes {
				l := c.Lane(k % mpi.Lanes)
				for d := range l.Out {
					l.Out[d].Grow(72) // a registration
					l.Out[d].Bytes = l.Out[d].Bytes[:72]
				}
				_, err := c.Exchange(l, 0)
				all = errors.Join(all, err)
			}
			_, err := c.Exchange(c.Lane(0), 0)
			if c.Rank() == 0 { // and the others wait
				runtime.GC()
				runtime.ReadMemStats(&after)
			}
			_, last := c.Exchange(c.Lane(0), 0)
			return errors.Join(all, err, last)
		})
		return float64(after.HeapAlloc-before.HeapAlloc) / float64(n*n)
	}
	few, many := perPair(64), perPair(256)
	t.Logf("%.0f bytes for each pair of 64 ranks, %.0f of 256: %.1f MiB in a rank of %d", few, many, many*manyRanks/(1<<20), manyRanks)
	if many > 1.2*few {
		t.Errorf("a pair of ranks takes %.0f bytes among 64 ranks and %.0f among 256: more than linear", few, many)
	}
	if total := max(few, many) * manyRanks; total > mostExchange {
		t.Errorf("a rank of %d takes %.0f bytes, more than %d", manyRanks, total, mostExchange)
	}
}
