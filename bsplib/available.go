package bsplib

import (
	"context"
	"time"

	"github.com/migbsp/migbsp/probe"
)

// A rank that has computed nothing finds out with a burst of work whether it
// could, for this long if the time that measuring may take allows it.
const (
	longestBurst  = 5 * time.Millisecond
	shortestBurst = 500 * time.Microsecond
)

// believed is the work after which what it shows of a rank's share counts as much
// as what was believed before: the first supersteps of a run are not like others,
// and the quotas of control groups are not kept to the millisecond.
const believed = 300 * time.Millisecond

// available is the share of its core that this rank gets: as its work in the
// window shows, else as a burst of work does, else as it was at the last
// call. It begins with the quota of its control group, and is never more: a rank
// that waits saves up some of it, and with little work seems to have more.
func (b *balance) available(r *rank, w window) float64 {
	if w.wall > 0 {
		b.share = (b.share*believed.Seconds() + w.cpu.Seconds()) / (believed + w.wall).Seconds()
	} else if len(r.procs) == 0 && r.virtual == nil {
		spend := min(longestBurst, time.Duration(1e9*r.sounding.share*b.trigger.Elapsed(r.now().Seconds())))
		if spend >= shortestBurst {
			if seen, err := probe.MeasureAvailable(context.Background(), spend); err == nil {
				b.share = seen.Share
			}
		}
	}
	if r.virtual == nil {
		b.share = min(b.share, r.quota())
	}
	return max(b.share, leastShare)
}

// leastShare keeps a rank in the reckoning that got no time at all.
const leastShare = 0.01

// quota is this rank's part of what its control group lets it use of a core: a
// burst is over before the kernel sees to it that the group keeps to that.
func (r *rank) quota() float64 {
	cores := probe.CoresOf(probe.Root()).Quota
	if cores == 0 {
		return 1
	}
	here, me := 0, r.comm.Rank()
	for rank := range r.comm.Size() {
		if r.comm.Node(rank) == r.comm.Node(me) {
			here++
		}
	}
	return min(1, cores/float64(here))
}
