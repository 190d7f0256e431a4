package probe

import (
	"io/fs"
	"strconv"
	"strings"
)

// Throttling counts how often the quota of a control group was used up.
type Throttling struct {
	Periods   int64   `json:"periods"`   // of the quota, in which something ran
	Throttled int64   `json:"throttled"` // of these, in which the quota did not suffice
	Time      float64 `json:"time"`      // seconds that cores were kept from the group, all together
}

// throttled is the Throttling of each control group that limits this process, by
// the directory of the group, since the group is there.
type throttled map[string]Throttling

// throttledGroups reads the counters of versions 1 and 2.
func throttledGroups(root fs.FS) throttled {
	all := throttled{}
	for _, controller := range []string{"", "cpu"} {
		for _, dir := range groups(root, controller) {
			if t, ok := throttlingIn(root, dir+"/cpu.stat"); ok {
				all[dir] = t
			}
		}
	}
	return all
}

// throttlingIn reads a file of counters. Groups that no quota can be set for
// have none of throttling.
func throttlingIn(root fs.FS, name string) (t Throttling, ok bool) {
	b, err := fs.ReadFile(root, name)
	if err != nil {
		return t, false
	}
	for line := range strings.Lines(string(b)) {
		key, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			continue
		}
		switch key {
		case "nr_periods":
			t.Periods, ok = n, true
		case "nr_throttled":
			t.Throttled = n
		case "throttled_usec":
			t.Time = float64(n) / 1e6
		case "throttled_time":
			t.Time = float64(n) / 1e9
		}
	}
	return t, ok
}

// worst is the group that was kept waiting for longest since an earlier look, or
// since it is there if earlier is nil; nil if no group counts.
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
