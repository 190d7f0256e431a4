package bsplib

import (
	"cmp"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

// This file decides when a rank whose processes are rescheduled measures the machine, and
// translates between probe, which measures, and rebalancer, which decides by it: before
// the run speeds, barrier and links of an MPI run; at a rescheduling call the share of its
// core that the rank gets, the memory that its node has left, and, within a budget, the
// links again.

// calibration is what an MPI run has measured, and what it may measure yet.
type calibration struct {
	*probe.Calibration         // nil: the machine is not measured together
	share              float64 // of the run's time that measuring may take
	watch              rebalancer.LinkWatch
	took               time.Duration // before the run
	alarm              func(*Error)  // called by another goroutine where an answer does not come
}

// usualShare is the part of a run's time that measuring the machine may take unless
// the configuration says another: a sixth of the 3 % that rescheduling may cost in all.
const usualShare = 0.005

// calibrate measures what rescheduling needs to know beforehand of the ranks of an
// MPI run.
func (r *rank) calibrate(cfg *Config) *Error {
	c := &r.cluster.calibration
	c.share = r.probeShare(cfg)
	if c.share == 0 {
		return nil
	}
	if !r.timing.clock.Emulated() && cfg.work == nil {
		r.cluster.platform.SpeedError = probe.SameSpeed
	}
	if cfg.Comm == nil {
		return nil
	}
	plan := probe.Plan{
		Comm: r.comm, Lane: r.stream.Side, Hosts: r.cluster.hosts, Neighbours: rebalancer.NeighbourRounds,
		Silent: r.silent,
	}
	for _, rank := range r.cluster.platform.Ranks {
		plan.Sets = append(plan.Sets, rank.Set)
	}
	for _, set := range r.cluster.platform.Sets {
		plan.Managers = append(plan.Managers, set.Manager)
	}
	found, err := probe.Calibrate(plan)
	if err != nil {
		return r.engineError(err)
	}
	c.Calibration, c.took = found, c.took+found.Took
	for rank, speed := range found.Speeds {
		r.cluster.platform.Ranks[rank].Speed = speed
	}
	r.cluster.platform.Barrier = found.Barrier.Seconds()
	if found.HasLinks() {
		c.watch.Share = c.share
		r.correctLinks()
		r.cluster.grouping.Links = ledger.LinksMeasured
	}
	return nil
}

// probeShare is the part of the run's time that measuring may take.
func (r *rank) probeShare(cfg *Config) float64 { return max(0, cmp.Or(cfg.ProbeShare, usualShare)) }

// silent ends the run as a rank does not answer while the machine is measured; another goroutine
// calls it.
func (r *rank) silent(err error) {
	r.cluster.calibration.alarm(&Error{Kind: KindEngine, Pid: -1, Rank: r.comm.Rank(), Superstep: r.now.step, Text: err.Error()})
}

// rebalances reports whether processes may be moved by a strategy.
func (r *rank) rebalances(cfg *Config) bool {
	return cfg.Balance != nil && !cfg.Balance.Off() && r.comm.Size() > 1
}

// shareCores tells decisions which ranks share the cores of a host, but for work that is
// not done there at all.
func (r *rank) shareCores(cfg *Config) {
	for rank := range r.cluster.platform.Ranks {
		r.cluster.platform.Ranks[rank].Cores = r.cluster.cores[rank]
		if cfg.work != nil {
			r.cluster.platform.Ranks[rank].Cores = cfg.cores
		}
	}
}

// remeasureLinks measures links and lines once more if there is a budget for it. All ranks
// call it at the begin of a rescheduling call.
func (r *rank) remeasureLinks() *Error {
	budget := r.cluster.calibration.watch.Spend()
	if budget == 0 {
		return nil
	}
	begun := r.timing.clock.Now()
	took, err := r.cluster.calibration.RemeasureLinks(time.Duration(budget * 1e9))
	if err != nil {
		return r.engineError(err)
	}
	r.cluster.calibration.watch.Took(took.Seconds())
	r.correctLinks()
	r.relink()
	r.balance.Measured(r.timing.clock.Now() - begun)
	return nil
}

// correctLinks makes the platform's links and lines as they were found to be.
func (r *rank) correctLinks() {
	found := rebalancer.MeasuredLinks{Links: convertLinks[rebalancer.Link](r.cluster.calibration.Links()), Lines: r.cluster.calibration.Lines()}
	r.cluster.platform.Links, r.cluster.platform.Lines = r.cluster.calibration.watch.Corrected(&r.cluster.platform, found)
}

// creditLinks takes in a call, after an interval since the one before: links may be worth
// measuring at the next call, or at one that follows at once.
func (r *rank) creditLinks(interval time.Duration, stake float64) {
	if !r.cluster.calibration.HasLinks() {
		return
	}
	least := rebalancer.LeastLinkTime(&r.cluster.platform, r.cluster.calibration.Rounds())
	if r.cluster.calibration.watch.Credit(interval.Seconds(), stake, least) {
		r.balance.MeasureSoon()
	}
}

// convertLinks translates the links between Sets of probe and of rebalancer.
func convertLinks[To, From probe.Way | rebalancer.Link](links [][]From) [][]To {
	converted := make([][]To, len(links))
	for a, row := range links {
		for _, link := range row {
			converted[a] = append(converted[a], To(link))
		}
	}
	return converted
}

// machine is what the rank knows of the machine below it: nothing on an emulated
// platform, whose clock says all.
func (r *rank) machine() balance.Machine {
	if r.timing.clock.Emulated() {
		return emulatedMachine{}
	}
	m := &realMachine{comm: r.comm, share: 1, burst: 1, idle: r.cluster.calibration.share}
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
	idle  float64 // part of the time without processes that measuring may take
}

// Available is the rank's share of its core: see probe.CoreShare.
func (m *realMachine) Available(work clock.Window, idle time.Duration, since bool) (share, burst float64) {
	if work.Wall > 0 {
		m.share.Observe(work.CPU, work.Wall, since)
		m.burst.Observe(work.CPU, work.Wall, since)
	} else if idle > 0 {
		m.share.Burst(time.Duration(m.idle * float64(idle)))
	}
	m.share.Limit(m.quota.Of(m.comm))
	return m.share.Value(), m.burst.Value()
}

func (m *realMachine) Free() int64 { return m.free.Bytes() }

type emulatedMachine struct{}

func (emulatedMachine) Available(clock.Window, time.Duration, bool) (share, burst float64) {
	return 1, 1
}
func (emulatedMachine) Free() int64 { return -1 }
