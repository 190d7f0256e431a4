package probe

import (
	"context"
	"runtime"
	"time"
)

// Available is what a thread that never waited got of a core.
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
