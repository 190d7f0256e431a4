package main

import (
	"context"
	"fmt"
	"time"

	"github.com/shirou/gopsutil/v3/cpu"
)

const (
	idleLook    = 500 * time.Millisecond
	idlePercent = 5 // of all cores in use, up to which the machine counts as idle
)

// awaitIdle looks at the machine until it is idle, for at most the given time
// but at least once, and returns the share of its cores that others use, in
// percent; 0 if the system does not say.
func awaitIdle(ctx context.Context, atMost time.Duration) float64 {
	begin := time.Now()
	for {
		used, err := cpu.PercentWithContext(ctx, idleLook, false)
		if err != nil || len(used) == 0 {
			return 0
		}
		if used[0] <= idlePercent || time.Since(begin) >= atMost {
			return used[0]
		}
	}
}

// idleness sums up the load found at launches.
type idleness struct {
	launches, busy int
	worst          float64 // percent
}

func (i *idleness) add(used float64) {
	i.launches++
	if used > idlePercent {
		i.busy++
		i.worst = max(i.worst, used)
	}
}

// title returns a line of a table's title where the machine was busy, else "".
func (i idleness) title() string {
	if i.busy == 0 {
		return ""
	}
	return fmt.Sprintf("\nNOISY: %d of %d launches began while others used up to %.0f%% of the cores; -idle 1m waits.", i.busy, i.launches, i.worst)
}
