package probe

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// SilentError names a rank that has not answered for too long.
type SilentError struct {
	Rank  int    // -1: one of several
	Host  string // "" if that is not known yet
	Task  string // the late rank's task
	After time.Duration
}

// Error names the rank.
func (e *SilentError) Error() string {
	who := "a rank has"
	switch {
	case e.Rank >= 0 && e.Host != "":
		who = fmt.Sprintf("rank %d on host %s has", e.Rank, e.Host)
	case e.Rank >= 0:
		who = fmt.Sprintf("rank %d has", e.Rank)
	}
	return fmt.Sprintf("%s not answered for %v, when it was to %s", who, e.After.Round(time.Millisecond), e.Task)
}

// Watchdog detects that a rank has waited too long for another. The waiting goroutine calls Await
// before each wait and Work after the last. It may be stuck in a call that never returns, so
// another goroutine runs Watch.
//
// The zero value waits for no rank.
type Watchdog struct {
	mu        sync.Mutex
	waiting   bool
	rank      int
	task      string
	since     time.Time
	tolerance time.Duration
	hosts     []string // by rank, once known
}

// Introduce gives the hosts of the ranks, for SilentError.
func (w *Watchdog) Introduce(hosts []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hosts = hosts
}

// gracePeriod is added to the tolerance of a wait for several ranks, so that a rank that
// waits for one rank only is the first to report it.
const gracePeriod = 2 * time.Second

// Await begins a wait for a rank, or for several if it is -1, which has a task and may take the
// tolerance for it.
func (w *Watchdog) Await(rank int, task string, tolerance time.Duration) {
	if rank < 0 {
		tolerance += gracePeriod
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting, w.rank, w.task, w.since, w.tolerance = true, rank, task, time.Now(), tolerance
}

// Work ends the wait: this rank has something to do itself.
func (w *Watchdog) Work() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = false
}

const (
	// lookEvery is the time between two checks of a wait. Tolerances are seconds: 50 ms
	// adds little to them, and 20 checks a second cost no measurable time.
	lookEvery = 50 * time.Millisecond
	// longGap between checks shows that this process did not run meanwhile: it was stopped
	// by a signal, or its machine was suspended. Schedulers of busy machines keep a process
	// waiting for some 100 ms at most.
	longGap = time.Second
)

// Watch returns a *SilentError once a wait exceeds its tolerance, the error of ctx once that ends,
// and nil once done is closed. Time in which this process was stopped does not count.
func (w *Watchdog) Watch(ctx context.Context, done <-chan struct{}) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for last := time.Now(); ; {
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		now := time.Now()
		if gap := now.Sub(last) - lookEvery; gap > longGap {
			w.excuse(gap)
		}
		last = now
		if err := w.overdue(); err != nil {
			return err
		}
	}
}

// excuse leaves a time out of the wait.
func (w *Watchdog) excuse(stopped time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since = w.since.Add(stopped)
}

// overdue returns the error of a wait that has taken too long.
func (w *Watchdog) overdue() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	passed := time.Since(w.since)
	if !w.waiting || passed < w.tolerance {
		return nil
	}
	e := &SilentError{Rank: w.rank, Task: w.task, After: passed}
	if w.rank >= 0 && w.rank < len(w.hosts) {
		e.Host = w.hosts[w.rank]
	}
	return e
}
