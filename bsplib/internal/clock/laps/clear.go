package laps

import (
	"slices"
	"time"
)

// Clear is what the work of a process takes while nothing disturbs it, by the site in the program at which it ends. The zero
// value knows nothing.
//
// A thread from which others took the core finds its data out of the caches when it goes on: it computes for longer, by as
// much as it takes to bring them back, which may be many times what short work takes. That is theirs, and the process would
// not have it elsewhere. 32 processes of 18 us each on eight hosts that share two cores: a third of their laps are disturbed,
// and these have 40 to 160 us.
type Clear []clearWork

type clearWork struct {
	site uintptr
	took time.Duration
}

const (
	// disturbance is the part of a span from which on that it did not run counts as disturbed: twice a switch of threads.
	disturbance = 10 * time.Microsecond
	// refill is what a disturbance adds to work at most: what it takes to fill a core's own caches, some MiB of them.
	refill = 200 * time.Microsecond
	// clearGrows is the part of it by which clear work is believed to have grown with each lap that was disturbed.
	clearGrows = 16
	// mostSites bounds what is kept of a program of many.
	mostSites = 16
)

// Work is the work of a lap that ended at a site, without what disturbances added to it as far as that is known.
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
