package cluster

import (
	"time"

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

// UsualShare is the part of a run's time that measuring the machine may take unless
// the configuration says another: a sixth of the 3 % that rescheduling may cost in all.
const UsualShare = 0.005

// Calibrate measures what rescheduling needs to know beforehand of the ranks of an
// MPI run. preset says that work takes what it is told to.
func (c *Cluster) Calibrate(s Settings, side *mpi.Lane, preset bool) error {
	c.share = s.Share
	if c.share == 0 {
		return nil
	}
	if !preset {
		c.Platform.SpeedError = probe.SameSpeed
	}
	if !s.MPI {
		return nil
	}
	plan := probe.Plan{
		Comm: c.comm, Lane: side, Hosts: c.Hosts, Neighbours: rebalancer.NeighbourRounds,
		Silent: c.Silent,
	}
	c.grouping.Earlier.tell(&plan)
	for _, rank := range c.Platform.Ranks {
		plan.Sets = append(plan.Sets, rank.Set)
	}
	for _, set := range c.Platform.Sets {
		plan.Managers = append(plan.Managers, set.Manager)
	}
	found, err := probe.Calibrate(plan)
	if err != nil {
		return err
	}
	c.measured, c.took = found, c.took+found.Took
	for rank, speed := range found.Speeds {
		c.Platform.Ranks[rank].Speed = speed
	}
	c.Platform.Barrier = found.Barrier.Seconds()
	if found.HasLinks() {
		c.watch.Share = c.share
		c.correctLinks()
		c.grouping.Links = ledger.LinksMeasured
	}
	return nil
}

// HasLinks reports whether links were measured.
func (c *Cluster) HasLinks() bool { return c.measured.HasLinks() }

// Remeasure measures links and lines once more if there is a budget for it, and reports whether
// it has. All ranks call it at the begin of a rescheduling call.
func (c *Cluster) Remeasure() (anew bool, err error) {
	budget := c.watch.Spend()
	if budget == 0 {
		return false, nil
	}
	took, err := c.measured.RemeasureLinks(time.Duration(budget * 1e9))
	if err != nil {
		return false, err
	}
	c.watch.Took(took.Seconds())
	c.correctLinks()
	return true, nil
}

// correctLinks makes the platform's links and lines as they were found to be.
func (c *Cluster) correctLinks() {
	found := rebalancer.MeasuredLinks{Links: convertLinks[rebalancer.Link](c.measured.Links()), Lines: c.measured.Lines()}
	unknownRate(&c.Platform, found.Links)
	c.Platform.Links, c.Platform.Lines = c.watch.Corrected(&c.Platform, found)
}

// Credit takes in a call, after an interval since the one before and with so many seconds to come,
// and reports whether links are worth measuring soon: at a call that follows at once.
func (c *Cluster) Credit(interval time.Duration, coming, stake float64) (soon bool) {
	if !c.HasLinks() {
		return false
	}
	c.ran += interval
	least := rebalancer.LeastLinkTime(&c.Platform, c.measured.Rounds())
	return c.watch.Credit(interval.Seconds(), c.ran.Seconds()+coming, stake, least)
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
