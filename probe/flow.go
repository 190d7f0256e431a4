package probe

import (
	"fmt"
	"time"
)

// Flow is what went through an interface while it was watched.
type Flow struct {
	Received float64 `json:"received"` // bytes per second
	Sent     float64 `json:"sent"`     // bytes per second
	Errors   int64   `json:"errors"`   // packets that were wrong, both ways
	Dropped  int64   `json:"dropped"`  // packets that were thrown away, both ways
	Over     float64 `json:"over"`     // seconds that it was watched
}

// addFlows notes in a later look at the interfaces what has gone through each
// since an earlier one. It says which have not been there all the time.
func addFlows(earlier, later []Interface, over time.Duration) (missing []string) {
	before := map[string]*Interface{}
	for i := range earlier {
		before[earlier[i].Name] = &earlier[i]
	}
	for i := range later {
		is := &later[i]
		was, known := before[is.Name]
		delete(before, is.Name)
		switch {
		case !known:
			missing = append(missing, fmt.Sprintf("flow: interface %s came while it was watched", is.Name))
		case was.Counters == nil || is.Counters == nil:
		default:
			if is.Flow = flowOf(*was.Counters, *is.Counters, over); is.Flow == nil {
				missing = append(missing, fmt.Sprintf("flow: interface %s began to count anew while it was watched", is.Name))
			}
		}
	}
	for i := range earlier {
		if _, left := before[earlier[i].Name]; left {
			missing = append(missing, fmt.Sprintf("flow: interface %s went while it was watched", earlier[i].Name))
		}
	}
	return missing
}

// flowOf is nil if the counters do not belong together, or no time has passed.
func flowOf(before, after Traffic, over time.Duration) *Flow {
	if over <= 0 || after.Received < before.Received || after.Sent < before.Sent ||
		after.Errors < before.Errors || after.Dropped < before.Dropped {
		return nil
	}
	return &Flow{
		Received: float64(after.Received-before.Received) / over.Seconds(),
		Sent:     float64(after.Sent-before.Sent) / over.Seconds(),
		Errors:   after.Errors - before.Errors, Dropped: after.Dropped - before.Dropped,
		Over: over.Seconds(),
	}
}
