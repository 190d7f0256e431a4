package survey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/shirou/gopsutil/v3/cpu"
	"github.com/shirou/gopsutil/v3/load"
	"github.com/shirou/gopsutil/v3/process"

	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/probe/internal/kernel"
)

// Load is the work of other programs on a machine.
type Load struct {
	One     float64 `json:"load1"` // processes that ran or wanted to, mean of a minute
	Five    float64 `json:"load5"`
	Fifteen float64 `json:"load15"`
	// Others is the share of the machine's cores that others than this process
	// used while the load was watched.
	Others float64 `json:"others"`
	// Allowed is Others for the cores only that this process may run on.
	Allowed float64 `json:"others_allowed"`
	// Stolen is the share that a virtual machine's host took away, part of
	// Others.
	Stolen float64 `json:"stolen"`
	Over   float64 `json:"over"` // seconds that it was watched; 0: the shares are not known
}

// WatchLoad watches the machine for some time, or until ctx ends. It may return an error
// and a part of the load: if the system has no figures of single cores, Allowed is the same
// as Others.
func WatchLoad(ctx context.Context, watch time.Duration) (Load, error) {
	return watchLoad(ctx, probe.Root(), watch)
}

// watchLoad is WatchLoad with the files of the machine.
func watchLoad(ctx context.Context, root fs.FS, watch time.Duration) (Load, error) {
	var l Load
	if avg, err := load.Avg(); err == nil {
		l.One, l.Five, l.Fifteen = avg.Load1, avg.Load5, avg.Load15
	}
	allowed := kernel.Numbers(kernel.AllowedCores(root))
	before, err := sampleCores(allowed)
	if err != nil {
		return l, err
	}
	select {
	case <-ctx.Done():
	case <-time.After(watch):
	}
	after, err := sampleCores(allowed)
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

// sample is one reading of the times of the cores.
type sample struct {
	at      time.Time
	machine used  // all cores
	allowed used  // cores that this process may run on
	single  error // why allowed is not known
}

// used is the time that has been used on some cores together, in seconds.
type used struct {
	all               float64 // idle time too
	busy, stolen, own float64
}

// sampleCores reads the times of all cores, and of those with the given numbers.
func sampleCores(allowed []int) (sample, error) {
	times, err := cpu.Times(false)
	if err == nil && len(times) == 0 {
		err = errors.New("no figures")
	}
	if err != nil {
		return sample{}, fmt.Errorf("how long the cores were busy: %w", err)
	}
	l := sample{at: time.Now(), machine: usedOf(times[0])}
	single, err := cpu.Times(true)
	if err == nil {
		l.allowed, err = usedOn(single, allowed)
	}
	l.single = err
	self, err := process.NewProcess(int32(os.Getpid()))
	if err != nil {
		return sample{}, fmt.Errorf("how long this process has computed: %w", err)
	}
	mine, err := self.Times()
	if err != nil {
		return sample{}, fmt.Errorf("how long this process has computed: %w", err)
	}
	l.machine.own = mine.User + mine.System
	l.allowed.own = l.machine.own
	return l, nil
}

func usedOf(t cpu.TimesStat) used {
	u := used{stolen: t.Steal}
	u.busy = t.User + t.System + t.Nice + t.Irq + t.Softirq + t.Steal
	u.all = u.busy + t.Idle + t.Iowait
	return u
}

// usedOn adds up the cores with the given numbers.
func usedOn(single []cpu.TimesStat, cores []int) (used, error) {
	if len(cores) == 0 {
		return used{}, errors.New("the system does not say which they are")
	}
	byName := map[string]cpu.TimesStat{}
	for _, t := range single {
		byName[t.CPU] = t
	}
	var sum used
	for _, core := range cores {
		t, known := byName["cpu"+strconv.Itoa(core)]
		if !known {
			return used{}, fmt.Errorf("no figures of core %d", core)
		}
		u := usedOf(t)
		sum.all, sum.busy, sum.stolen = sum.all+u.all, sum.busy+u.busy, sum.stolen+u.stolen
	}
	return sum, nil
}

// others returns the shares of the cores' time between two moments that other programs used, and
// that was stolen.
func others(before, after used) (busy, stolen float64) {
	all := after.all - before.all
	if !(all > 0) {
		return 0, 0
	}
	share := func(x float64) float64 { return min(1, max(0, x/all)) }
	stolen = share(after.stolen - before.stolen)
	return max(stolen, share(after.busy-before.busy-(after.own-before.own))), stolen
}
