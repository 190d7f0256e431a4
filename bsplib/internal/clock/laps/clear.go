package laps

import (
	"slices"
	"time"
)

// Clear estimates the undisturbed work of a process by the site in the program where it ends.
// The zero value has no measurements.
//
// A thread that lost its core to others must refill the caches when it resumes, which may take
// many times the duration of short work. The delay is caused by the rivals, and would not occur on
// another host. Of 32 processes of 18 us each on eight hosts that share two cores, a third of the
// laps are disturbed, and these take 40 to 160 us.
type Clear []clearWork

type clearWork struct {
	site uintptr
	took time.Duration
}

const (
	// disturbance is the minimum time without a core for a lap to count as disturbed: twice the
	// duration of a thread switch.
	disturbance = 10 * time.Microsecond
	// refill is the maximum time that a disturbance adds to work: the time to refill a core's
	// private caches, some MiB.
	refill = 200 * time.Microsecond
	// The estimate grows by 1/clearGrows with each disturbed lap.
	clearGrows = 16
	// mostSites is the maximum number of sites with an estimate.
	mostSites = 16
)

// Work returns the work of a lap that ended at a site, without the effect of disturbances.
func (c *Clear) Work(l Lap, site uintptr) time.Duration {
	at := slices.IndexFunc(*c, func(w clearWork) bool { return w.site == site })
	if l.Span-l.Work <= disturbance {
		if at < 0 && len(*c) < mostSites {
			at, *c = len(*c), append(*c, clearWork{site: site})
		}
		if at >= 0 {
			(*c)[at].took = l.Work
		}
		return l.Work
	}
	if at < 0 || l.Waited > 0 {
		return l.Work
	}
	known := &(*c)[at]
	clear := min(known.took, l.Work)
	if known.took = clear + clear/clearGrows; l.Work > clear+refill {
		return l.Work
	}
	return clear
}
