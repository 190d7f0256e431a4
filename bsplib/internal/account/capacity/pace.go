package capacity

import "time"

// pace is the part of a core that a rank gets: that in which it ran of the time that its work took,
// the past fading, and no more than its quota, for what a rank with little work has saved up
// would soon be spent.
type pace struct {
	quota     float64
	cpu, span float64 // seconds
}

const (
	// paceMemory is how many seconds of work it takes for what was before to count half
	// or less: some periods of quotas and many time slices, and hosts whose load changes are
	// seen as they are within a few supersteps that have become slow.
	paceMemory = 2.0
	// paceBelieved is after how many seconds of work what is seen counts as much as the
	// quota: more would be missed in supersteps that are short.
	paceBelieved = 200e-6
	// leastShare keeps a rank in the reckoning that got no time at all.
	leastShare = 0.001
)

// see takes in the work of a superstep.
func (p *pace) see(cpu, span float64) {
	keep := paceMemory / (paceMemory + span)
	p.cpu = p.cpu*keep + min(cpu, span)
	p.span = p.span*keep + span
}

// share is the part as it is seen now.
func (p *pace) share() float64 {
	share := (paceBelieved*p.quota + p.cpu) / (paceBelieved + p.span)
	return max(leastShare, min(1, p.quota, share))
}

// seconds is d.Seconds without its divisions, which take as long as all else here.
func seconds(d time.Duration) float64 { return float64(d) * 1e-9 }
