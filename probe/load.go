package probe

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"time"

	"github.com/shirou/gopsutil/v3/load"
)

// Load says what else runs on a machine.
type Load struct {
	One     float64 `json:"load1"` // processes that ran or wanted to, mean of a minute
	Five    float64 `json:"load5"`
	Fifteen float64 `json:"load15"`
	// Others is the share of the machine's cores that others than this process
	// used while the load was watched.
	Others float64 `json:"others"`
	// Allowed is the same of those cores only that this process may run on.
	Allowed float64 `json:"others_allowed"`
	// Stolen is the share that a virtual machine's host took away, part of
	// Others.
	Stolen float64 `json:"stolen"`
	Over   float64 `json:"over"` // seconds that it was watched; 0: the shares are not known
}

// WatchLoad watches the machine for some time, or until ctx ends. With an error
// it returns what is known nevertheless: where the system tells nothing of single
// cores, Allowed is the same as Others.
func WatchLoad(ctx context.Context, watch time.Duration) (Load, error) {
	return watchLoad(ctx, Root(), watch)
}

// watchLoad is WatchLoad with the files of the machine.
func watchLoad(ctx context.Context, root fs.FS, watch time.Duration) (Load, error) {
	var l Load
	if avg, err := load.Avg(); err == nil {
		l.One, l.Five, l.Fifteen = avg.Load1, avg.Load5, avg.Load15
	}
	allowed := allowedCores(root)
	before, err := use(allowed)
	if err != nil {
		return l, err
	}
	select {
	case <-ctx.Done():
	case <-time.After(watch):
	}
	after, err := use(allowed)
	if err != nil {
		return l, err
	}
	l.Over = after.at.Sub(before.at).Seconds()
	l.Others, l.Stolen = others(before.machine, after.machine)
	l.Allowed, _ = others(before.allowed, after.allowed)
	if err := ctx.Err(); err != nil {
		return l, err
	}
	if before.single != nil || after.single != nil {
		l.Allowed = l.Others
		return l, fmt.Errorf("others on this process's own cores: %w", cmp.Or(before.single, after.single))
	}
	return l, nil
}
