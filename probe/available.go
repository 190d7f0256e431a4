package probe

import (
	"context"
	"math"
	"runtime"
	"time"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe/internal/kernel"
)

// Available is the part of a core that a thread got that never waited.
type Available struct {
	Share float64 `json:"share"` // running time of the thread, as a part of the elapsed time
	Away  float64 `json:"away"`  // seconds, the longest that it was kept from running
	Over  float64 `json:"over"`  // seconds that passed; 0: not measured
}

// MeasureAvailable keeps a thread busy for some time, or until ctx ends, and compares its
// own clock with the wall clock. Both foreign load on its core and a used-up quota show.
// Quotas are handed out in periods, of 100 ms on most systems, so it takes several periods
// to see one.
//
// Errors: ErrNoThreadClock, or the error of ctx with the measurement until then.
func MeasureAvailable(ctx context.Context, over time.Duration) (Available, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, ok := threadTime(); !ok {
		return Available{}, ErrNoThreadClock
	}
	var kept float64
	var passed, ran, away time.Duration
	begin, first := time.Now(), own()
	for (passed < over || ran <= 0) && ctx.Err() == nil {
		kept += dependent(kept)
		nowPassed, nowRan := time.Since(begin), own()-first
		away = max(away, (nowPassed-passed)-(nowRan-ran))
		passed, ran = nowPassed, nowRan
	}
	runtime.KeepAlive(kept)
	return availableOf(passed, ran, away), ctx.Err()
}

// availableOf is for a thread that ran for a part of the time that passed.
func availableOf(passed, ran, away time.Duration) Available {
	if passed <= 0 {
		return Available{}
	}
	return Available{Share: min(1, ran.Seconds()/passed.Seconds()), Away: away.Seconds(), Over: passed.Seconds()}
}

// CoreShare is the share of its core that a rank gets, with other programs running and within the
// quota of its control group. Each call updates it: by the rank's work, else by a burst of work;
// otherwise it does not change.
//
// Limit keeps it below RankQuota: a rank that waits saves up some of its quota, and with little
// work seems to have more.
type CoreShare float64

// believed is the amount of work that gives the observed share the same weight as the previous
// share: the first supersteps of a run are not typical, and control groups enforce their quotas over
// QuotaPeriod, not over milliseconds.
const believed = 300 * time.Millisecond

// After a change, if the observed share differs by changeLeast of it, the share before
// counts for one part in changeTrust only: the mean of the shares before and after is right
// at no time, and too few processes would move by it. Supersteps of an unchanged rank
// differ by less.
const (
	changeTrust = 8
	changeLeast = 0.25
)

// QuotaPeriod is the period over which a quota is enforced. Observations of less than a period
// cannot distinguish a rank that has used up its quota from one that lost its core.
const QuotaPeriod = 100 * time.Millisecond

// Observe takes account of work that took cpu of the rank's thread and wall of the wall
// clock. since reports that all of this work is after a change, on this rank or another; quota that it has one.
func (s *CoreShare) Observe(cpu, wall time.Duration, since, quota bool) {
	before := believed
	if since && math.Abs(cpu.Seconds()/wall.Seconds()-float64(*s)) > changeLeast*float64(*s) {
		before = min(before, wall/changeTrust)
		if quota {
			before = max(before, QuotaPeriod-wall)
		}
	}
	s.add(cpu, wall, before)
}

// add updates the share by work; the previous share counts like work that took before.
func (s *CoreShare) add(cpu, wall, before time.Duration) {
	*s = CoreShare((float64(*s)*before.Seconds() + cpu.Seconds()) / (before + wall).Seconds())
}

// A rank without work measures its possible share by a burst of work. Time slices of the kernel are
// some milliseconds long: a burst of less than half a millisecond hardly ever meets another
// program, and one of 5 ms mostly does.
const (
	shortestBurst = 500 * time.Microsecond
	longestBurst  = 5 * time.Millisecond
)

// Burst keeps the calling thread busy, for at most the given time, and measures its share. If that
// time is too short, the share does not change. With a quota, which a burst may have used up, the
// previous share counts too.
func (s *CoreShare) Burst(budget time.Duration, quota bool) {
	if budget < shortestBurst {
		return
	}
	if seen, err := MeasureAvailable(context.Background(), min(budget, longestBurst)); err == nil {
		before := time.Duration(0)
		if quota {
			before = QuotaPeriod
		}
		passed := time.Duration(seen.Over * float64(time.Second))
		s.add(time.Duration(seen.Share*float64(passed)), passed, before)
	}
}

// Limit lowers the share to a quota.
func (s *CoreShare) Limit(quota float64) { *s = min(*s, CoreShare(quota)) }

// leastShare keeps a rank in the reckoning that got no time at all.
const leastShare = 0.01

// Value returns the share as a divisor, which is not 0.
func (s CoreShare) Value() float64 { return max(float64(s), leastShare) }

// SharedCores returns the number of cores that the ranks on this rank's node may use together: the
// cores that one of them may run on, within the quota of their control group.
func SharedCores(comm mpi.Comm) float64 {
	cores := comm.Engine().Cores
	if cores == 0 {
		cores = runtime.GOMAXPROCS(0) // ranks are goroutines
	}
	if limit := quota(kernel.Root()); limit > 0 {
		return min(limit, float64(cores))
	}
	return float64(cores)
}

// RankQuota returns this rank's part of the quota of its control group, in cores. It is
// needed because a burst is over before the kernel enforces the quota.
func RankQuota(comm mpi.Comm) float64 {
	cores := quota(kernel.Root())
	if cores == 0 {
		return 1
	}
	return min(1, cores/float64(mpi.RanksHere(comm)))
}

// KnownQuota reads RankQuota at most once a second, because that reads half a dozen files.
// The zero value is ready for use.
type KnownQuota struct{ known known[float64] }

// Of returns the quota of this rank of comm.
func (q *KnownQuota) Of(comm mpi.Comm) float64 {
	return q.known.get(func() float64 { return RankQuota(comm) })
}
