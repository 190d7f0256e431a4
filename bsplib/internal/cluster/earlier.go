package cluster

import (
	"slices"
	"time"

	"github.com/migbsp/migbsp/internal/profile"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

// This file reuses links that an earlier run of any program has measured on the same hosts.

// earlier describes an earlier run. Rank 0 sends it to all ranks.
type earlier struct {
	Sets   bool // the Sets are taken from it
	Links  [][]rebalancer.Link
	Lines  []float64 // by rank
	At     int64     // when links were measured, in seconds since 1970
	Budget time.Duration
}

const (
	// linkAge is the maximum age of reused links, because networks change by maintenance and
	// not every hour. A round trip verifies each link. A change of rate without a change of
	// latency is detected only when the run measures links itself.
	linkAge = 7 * 24 * time.Hour
	// measuringShare limits measuring before a run to this part of the run's expected duration.
	measuringShare = 0.01
	leastMeasuring = 50 * time.Millisecond
)

// lately returns the newest profile on these hosts. It returns nil without a profile, if links of
// it are too old, or if the run does not move processes or measure the machine.
func lately(s Settings, hosts []string) *profile.Profile {
	p := s.Profiles.LastOn(hosts)
	unknown := func(host string) bool { return indexOf(p, host) < 0 } // digests of hosts may collide
	if p == nil || !s.Moves || s.Share == 0 || slices.ContainsFunc(hosts, unknown) {
		return nil
	}
	for _, l := range p.Links {
		if age := time.Since(l.Measured); age < 0 || age > linkAge {
			return nil
		}
	}
	return p
}

// setsOf returns the Set of each rank's host in an earlier run, nil unless all are known.
func setsOf(p *profile.Profile, hosts []string) []int {
	if p == nil {
		return nil
	}
	var names []string
	near := make([]int, len(hosts))
	for rank, name := range hosts {
		host := indexOf(p, name)
		if host < 0 || p.Hosts[host].Set == "" {
			return nil
		}
		set := p.Hosts[host].Set
		if near[rank] = slices.Index(names, set); near[rank] < 0 {
			near[rank], names = len(names), append(names, set)
		}
	}
	return near
}

func indexOf(p *profile.Profile, name string) int {
	return slices.IndexFunc(p.Hosts, func(h profile.Host) bool { return h.Name == name })
}

// remember stores the links and lines of an earlier run for the current Sets.
func (g *grouping) remember(p *profile.Profile, hosts []string, expected float64, sets bool) {
	e := &g.Earlier
	e.Budget = max(leastMeasuring, time.Duration(measuringShare*expected*1e9))
	if p == nil || g.Problem != "" {
		return
	}
	e.Sets = sets
	inSet := make([]map[int]bool, len(g.Platform.Sets)) // hosts of the profile by Set
	for set := range inSet {
		inSet[set] = make(map[int]bool)
		e.Links = append(e.Links, make([]rebalancer.Link, len(inSet)))
	}
	for rank, name := range hosts {
		host := indexOf(p, name)
		inSet[g.Platform.Ranks[rank].Set][host] = true
		e.Lines = append(e.Lines, p.Hosts[host].Line)
	}
	oldest := p.Written
	for _, l := range p.Links {
		for a := range inSet {
			for b := range inSet {
				if inSet[a][l.From] && inSet[b][l.To] {
					e.Links[a][b] = rebalancer.Link{Latency: l.Latency, PerByte: l.PerByte}
				}
			}
		}
		if l.Measured.Before(oldest) {
			oldest = l.Measured
		}
	}
	e.At = oldest.Unix()
}

// tell adds the links of the earlier run to a plan, which verifies them, and sets the plan's
// budget.
func (e *earlier) tell(plan *probe.Plan) {
	plan.Budget = e.Budget
	if e.Links != nil {
		plan.Known, plan.KnownLines, plan.KnownAt = convertLinks[probe.Way](e.Links), e.Lines, time.Unix(e.At, 0).UTC()
	}
}

// window is the smallest TCP window in bytes. If only the latency of a link is known, its
// assumed rate is one window per round trip.
const window = 64 << 10

// unknownRate estimates the rate of links with only a measured latency.
func unknownRate(p *rebalancer.Platform, found [][]rebalancer.Link) {
	for a, row := range found {
		for b, l := range row {
			if likely := 2 * l.Latency / window; l.Latency > 0 && l.PerByte == 0 && p.Links[a][b] == DefaultLink {
				p.Links[a][b].PerByte = max(DefaultLink.PerByte, likely)
			}
		}
	}
}
