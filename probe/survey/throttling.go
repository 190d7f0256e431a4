package survey

import (
	"io/fs"

	"github.com/migbsp/migbsp/probe/internal/kernel"
)

// Throttling counts the periods that used up the quota of a control group.
type Throttling struct {
	Periods   int64   `json:"periods"`   // of the quota, without idle ones
	Throttled int64   `json:"throttled"` // periods that used up the quota
	Time      float64 `json:"time"`      // seconds that cores were kept from the group, all together
}

// throttled is the Throttling of each control group that limits this process, by
// the directory of the group, since the group is there.
type throttled map[string]Throttling

// throttledGroups reads the counters of groups. Those that no quota can be set for do not count
// periods.
func throttledGroups(root fs.FS) throttled {
	all := throttled{}
	for dir, counters := range kernel.CPUCounters(root) {
		if periods, ok := counters["nr_periods"]; ok {
			all[dir] = Throttling{periods, counters["nr_throttled"], kernel.Throttled(counters)}
		}
	}
	return all
}

// worst returns the group that was kept waiting longest since earlier, or since it exists
// if earlier is nil; nil if no group counts.
func (now throttled) worst(earlier throttled) *Throttling {
	var most *Throttling
	for dir, t := range now {
		e := earlier[dir]
		t.Periods, t.Throttled, t.Time = max(0, t.Periods-e.Periods), max(0, t.Throttled-e.Throttled), max(0, t.Time-e.Time)
		if most == nil || t.Time > most.Time || t.Time == most.Time && t.Periods > most.Periods {
			most = &t
		}
	}
	return most
}
