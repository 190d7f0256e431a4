package probe

import (
	"fmt"
	"sync"
	"time"
)

// SilentError says which rank has not answered for too long.
type SilentError struct {
	Rank  int    // -1: one of several
	Host  string // "" if that is not known yet
	What  string // that it was to do
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
	return fmt.Sprintf("%s not answered for %v, when it was to %s", who, e.After.Round(time.Millisecond), e.What)
}

// vigil knows whom a rank waits for, and how long that may take. One goroutine
// waits, another looks.
type vigil struct {
	mu    sync.Mutex
	rank  int
	what  string
	since time.Time
	limit time.Duration
	hosts []string // by rank, once known
}

// work says that the rank itself has something to do, and waits for nobody.
func (v *vigil) work() { v.await(-1, "", noLimitOfTime) }

const noLimitOfTime = 100 * 365 * 24 * time.Hour

// forgive leaves out a time in which this process itself did not run.
func (v *vigil) forgive(stopped time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.since = v.since.Add(stopped)
}

// await begins to wait for a rank, -1 if not for one alone.
func (v *vigil) await(rank int, what string, limit time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.rank, v.what, v.since, v.limit = rank, what, time.Now(), limit
}

// introduce says where the ranks are.
func (v *vigil) introduce(hosts []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.hosts = hosts
}

// overdue is the error of a wait that has taken too long.
func (v *vigil) overdue() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	passed := time.Since(v.since)
	if passed < v.limit {
		return nil
	}
	e := &SilentError{Rank: v.rank, What: v.what, After: passed}
	if v.rank >= 0 && v.rank < len(v.hosts) {
		e.Host = v.hosts[v.rank]
	}
	return e
}
