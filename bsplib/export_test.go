package bsplib

import (
	"io"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/driver"
	"github.com/migbsp/migbsp/bsplib/internal/membership"
	"github.com/migbsp/migbsp/bsplib/internal/membership/watch"
	"github.com/migbsp/migbsp/ledger"
)

// testing returns the test settings of a configuration, which must be a copy.
func (cfg *Config) testing() *driver.Test {
	var own driver.Test
	if cfg.set.Test != nil {
		own = *cfg.set.Test
	}
	cfg.set.Test = &own
	return cfg.set.Test
}

// WithWork returns a configuration with processes' work given by f instead of
// measured: runs on an emulated platform then repeat to the last digit.
func (cfg Config) WithWork(f func(pid, step int) time.Duration) Config {
	cfg.testing().Work = f
	return cfg
}

// WithCores makes all ranks of preset work share n cores.
func (cfg Config) WithCores(n float64) Config {
	cfg.testing().Cores = n
	return cfg
}

// InWindows returns a configuration whose record adds up at least so many supersteps in a window.
func (cfg Config) InWindows(supersteps int) Config {
	cfg.testing().Windows = supersteps
	return cfg
}

// Scattered returns a configuration that moves random processes to random ranks
// after each stage.
func (cfg Config) Scattered(seed uint64) Config {
	cfg.testing().Scatter = seed
	return cfg
}

// Monitored returns a configuration with a monitor that reports to out, until stop is called.
func (cfg Config) Monitored(out io.Writer, after time.Duration) (with Config, stop func()) {
	m := &watch.Monitor{Program: "test", Out: out, After: after}
	cfg.set.Monitor = m
	return cfg, m.Start()
}

// Absent returns the number of ranks that are away.
func Absent(p *Proc) int { return p.process.Rank.Members.Absent() }

// RollCallEvery sets the interval for asking ranks that are away for their requests, until the
// result is called.
func RollCallEvery(d time.Duration) (restore func()) {
	was := membership.RollCallEvery
	membership.RollCallEvery = d
	return func() { membership.RollCallEvery = was }
}

// ToldLoads returns the loads that the process has declared: for its current stage, and for the
// coming one.
func ToldLoads(p *Proc) (now, coming float64) { return p.process.Data.Did.Load, p.process.Load }

// MeasureOn measures l, and g from rank to rank, on a process for each rank.
func MeasureOn(p *Proc, way ledger.Way) *ledger.Machine {
	plan := make([]int32, planWays+ledger.Ways*p.NProcs())
	for i := range plan {
		plan[i] = -1
	}
	plan[planAny], plan[planBarrier], plan[planLimit] = 1, 1, 60_000
	for rank := range p.NProcs() {
		plan[planWays+int(way)*p.NProcs()+rank] = int32((rank + 1) % p.NProcs())
	}
	return measureOn(p, plan)
}

// Typical returns the time of the end of a superstep with step in it, and the part of within that
// is left after the measurement.
func Typical(p *Proc, within time.Duration, step func()) (took, left time.Duration) {
	return typical(p, p.Time()+within, step)
}

// LeftOut returns the time of the superstep so far that was spent in Aside.
func LeftOut(p *Proc) time.Duration { return p.process.Data.Did.Aside }
