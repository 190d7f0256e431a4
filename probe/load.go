package probe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/shirou/gopsutil/v3/cpu"
	"github.com/shirou/gopsutil/v3/load"
	"github.com/shirou/gopsutil/v3/process"
)

// Load says what else runs on a machine.
type Load struct {
	One     float64 `json:"load1"` // processes that ran or wanted to, mean of a minute
	Five    float64 `json:"load5"`
	Fifteen float64 `json:"load15"`
	// Others is the share of the machine's cores that others than this process
	// used while the load was watched.
	Others float64 `json:"others"`
	// Stolen is the share that a virtual machine's host took away, part of
	// Others.
	Stolen float64 `json:"stolen"`
	Over   float64 `json:"over"` // seconds that it was watched; 0: Others and Stolen are not known
}

// WatchLoad watches the machine for some time, or until ctx ends.
func WatchLoad(ctx context.Context, watch time.Duration) (Load, error) {
	var l Load
	if avg, err := load.Avg(); err == nil {
		l.One, l.Five, l.Fifteen = avg.Load1, avg.Load5, avg.Load15
	}
	before, err := use()
	if err != nil {
		return l, err
	}
	select {
	case <-ctx.Done():
	case <-time.After(watch):
	}
	after, err := use()
	if err != nil {
		return l, err
	}
	l.Over = after.at.Sub(before.at).Seconds()
	l.Others, l.Stolen = others(before, after)
	return l, ctx.Err()
}

// used is the time that has been used on all cores together, in seconds.
type used struct {
	at                time.Time
	all               float64 // idle time too
	busy, stolen, own float64
}

func use() (used, error) {
	times, err := cpu.Times(false)
	if err == nil && len(times) == 0 {
		err = errors.New("no figures")
	}
	if err != nil {
		return used{}, fmt.Errorf("how long the cores were busy: %w", err)
	}
	t := times[0]
	u := used{at: time.Now(), stolen: t.Steal}
	u.busy = t.User + t.System + t.Nice + t.Irq + t.Softirq + t.Steal
	u.all = u.busy + t.Idle + t.Iowait
	self, err := process.NewProcess(int32(os.Getpid()))
	if err != nil {
		return used{}, fmt.Errorf("how long this process has computed: %w", err)
	}
	mine, err := self.Times()
	if err != nil {
		return used{}, fmt.Errorf("how long this process has computed: %w", err)
	}
	u.own = mine.User + mine.System
	return u, nil
}

// others are the shares of all cores' time between two moments that others
// used, and that was stolen.
func others(before, after used) (busy, stolen float64) {
	all := after.all - before.all
	if !(all > 0) {
		return 0, 0
	}
	share := func(x float64) float64 { return min(1, max(0, x/all)) }
	stolen = share(after.stolen - before.stolen)
	return max(stolen, share(after.busy-before.busy-(after.own-before.own))), stolen
}
