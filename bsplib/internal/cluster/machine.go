package cluster

import (
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

// Machine returns the machine that the rank runs on. On an emulated platform, it reports a full
// core and unknown memory, because the clock accounts for the hosts.
func (c *Cluster) Machine(emulated bool) balance.Machine {
	if emulated {
		return emulatedMachine{}
	}
	m := &realMachine{comm: c.comm, share: 1, burst: 1, idle: c.share}
	m.share.Limit(m.quota.Of(m.comm))
	return m
}

// realMachine is a balance.Machine that measures.
type realMachine struct {
	comm  mpi.Comm
	share probe.CoreShare
	burst probe.CoreShare // while the quota lasts
	quota probe.KnownQuota
	free  probe.FreeMemory
	idle  float64 // limit for measuring, as a part of the time without processes
}

// Available returns the rank's share of its core, see probe.CoreShare.
func (m *realMachine) Available(work clock.Window, idle time.Duration, since bool) (share, burst float64) {
	quota := m.quota.Of(m.comm)
	if work.Wall > 0 {
		m.share.Observe(work.CPU, work.Wall, since, quota < 1)
		m.burst.Observe(work.CPU, work.Wall, since, quota < 1)
	} else if idle > 0 {
		m.share.Burst(time.Duration(m.idle*float64(idle)), quota < 1)
	}
	m.share.Limit(quota)
	return m.share.Value(), m.burst.Value()
}

func (m *realMachine) Free() int64 { return m.free.Bytes() }

type emulatedMachine struct{}

func (emulatedMachine) Available(clock.Window, time.Duration, bool) (share, burst float64) {
	return 1, 1
}
func (emulatedMachine) Free() int64 { return -1 }
