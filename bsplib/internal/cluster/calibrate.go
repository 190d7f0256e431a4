package cluster

import (
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

// This file schedules the measurements of the machine for rescheduling, and converts between
// probe, which measures, and rebalancer, which uses the results. Speeds, barrier and links of
// an MPI run are measured before the run. At a rescheduling call, a rank measures its share of
// its core, the free memory of its node and, within a budget, the links again.

// UsualShare is the default for the part of a run's time that measuring the machine may take:
// a sixth of the 3 % budget of rescheduling.
const UsualShare = 0.005

// Calibrate measures the speeds, barrier and links of an MPI run before its first superstep.
// preset is true if the duration of work is preset and not measured.
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

// Remeasure measures links and lines again if the budget allows it, and reports whether it
// did. All ranks call it at the beginning of a rescheduling call.
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

// correctLinks updates the platform's links and lines from the measurements.
func (c *Cluster) correctLinks() {
	found := rebalancer.MeasuredLinks{Links: convertLinks[rebalancer.Link](c.measured.Links()), Lines: c.measured.Lines()}
	unknownRate(&c.Platform, found.Links)
	c.Platform.Links, c.Platform.Lines = c.watch.Corrected(&c.Platform, found)
}

// Credit adds to the budget for measuring links at a call. interval is the time since the
// previous call, coming the expected remaining time of the run in seconds. Credit reports
// whether another call should follow at once to measure links.
func (c *Cluster) Credit(interval time.Duration, coming, stake float64) (soon bool) {
	if !c.HasLinks() {
		return false
	}
	c.ran += interval
	least := rebalancer.LeastLinkTime(&c.Platform, c.measured.Rounds())
	return c.watch.Credit(interval.Seconds(), c.ran.Seconds()+coming, stake, least)
}

// convertLinks converts links between Sets from probe's type to rebalancer's, or back.
func convertLinks[To, From probe.Way | rebalancer.Link](links [][]From) [][]To {
	converted := make([][]To, len(links))
	for a, row := range links {
		for _, link := range row {
			converted[a] = append(converted[a], To(link))
		}
	}
	return converted
}
