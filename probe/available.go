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
	Share float64 `json:"share"` // of the time that passed, in which it ran
	Away  float64 `json:"away"`  // seconds, the longest that it was kept from running
	Over  float64 `json:"over"`  // seconds that passed; 0: nothing is known
}

// MeasureAvailable keeps a thread busy for some time, or until ctx ends, and
// compares its own clock with the one on the wall. Foreign load on its core and
// a quota that is used up both show. Quotas are handed out in periods, of 100 ms
// on most systems, so that it takes a few of them to see one.
//
// Errors: ErrNoThreadClock, or that of ctx with what was seen until then.
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

// CoreShare is the share of its core that a rank gets, of other programs, and of the
// quota of its control group. It is kept up from call to call: as the rank's work shows,
// else as a burst of work does, else as it was.
//
// It is never more than RankQuota, by Limit: a rank that waits saves up some of its
// quota, and with little work seems to have more.
type CoreShare float64

// believed is the work after which what it shows of a rank's share counts as much
// as what was believed before: the first supersteps of a run are not like others,
// and the quotas of control groups are not kept to the millisecond, but to periods of
// 100 ms.
const believed = 300 * time.Millisecond

// After a change what was believed counts for one part in changeTrust of what is seen, if that
// is less or more by changeLeast of it: a mean of the share before and of that after is the share at no
// time, and moves that go by it are too few. Supersteps of an unchanged rank differ by less.
const (
	changeTrust = 8
	changeLeast = 0.25
)

// Observe takes account of work that took so much time of the rank's thread and of the
// clock on the wall. since says that the work is that since something has changed, on this rank
// or another.
func (s *CoreShare) Observe(cpu, wall time.Duration, since bool) {
	before := believed
	if since && math.Abs(cpu.Seconds()/wall.Seconds()-float64(*s)) > changeLeast*float64(*s) {
		before = min(before, wall/changeTrust)
	}
	*s = CoreShare((float64(*s)*before.Seconds() + cpu.Seconds()) / (before + wall).Seconds())
}

// A rank that has computed nothing finds out with a burst of work whether it could.
// Time slices of the kernel are some milliseconds long: a burst of less than half a
// millisecond hardly ever meets another program, and one of 5 ms mostly does.
const (
	shortestBurst = 500 * time.Microsecond
	longestBurst  = 5 * time.Millisecond
)

// Burst keeps the calling thread busy, for no more than the given time, to see what it
// gets. Where that is too short the share stays as it is.
func (s *CoreShare) Burst(budget time.Duration) {
	if budget < shortestBurst {
		return
	}
	if seen, err := MeasureAvailable(context.Background(), min(budget, longestBurst)); err == nil {
		*s = CoreShare(seen.Share)
	}
}

// Limit lowers the share to a quota.
func (s *CoreShare) Limit(quota float64) { *s = min(*s, CoreShare(quota)) }

// leastShare keeps a rank in the reckoning that got no time at all.
const leastShare = 0.01

// Value is the share for those who divide by it.
func (s CoreShare) Value() float64 { return max(float64(s), leastShare) }

// SharedCores is how many cores the ranks on this rank's node may use together: those that
// one of them may run on, as far as their control group lets them.
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

// RankQuota is this rank's part of what its control group lets it use of a core: a
// burst is over before the kernel sees to it that the group keeps to that.
func RankQuota(comm mpi.Comm) float64 {
	cores := quota(kernel.Root())
	if cores == 0 {
		return 1
	}
	return min(1, cores/float64(mpi.RanksHere(comm)))
}

// KnownQuota looks up RankQuota at most once a second, for that reads half a dozen files.
// The zero value is ready for use.
type KnownQuota struct {
	quota float64
	at    time.Time
}

// Of returns the quota of this rank of comm.
func (q *KnownQuota) Of(comm mpi.Comm) float64 {
	if q.at.IsZero() || time.Since(q.at) > time.Second {
		q.quota, q.at = RankQuota(comm), time.Now()
	}
	return q.quota
}
