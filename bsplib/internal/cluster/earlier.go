package cluster

import (
	"slices"
	"time"

	"github.com/migbsp/migbsp/internal/profile"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

// This file reuses links that an earlier run, of any program, has measured on the same hosts.

// earlier is rank 0's knowledge of an earlier run, for all ranks.
type earlier struct {
	Sets   bool // the groups of hosts are from it
	Links  [][]rebalancer.Link
	Lines  []float64 // by rank
	At     int64     // when links were measured, in seconds since 1970
	Budget time.Duration
}

const (
	// linkAge is the age up to which links are reused: networks change by maintenance, not by the hour. A
	// round trip verifies each; only a rate that has changed without its latency stays undetected until the run
	// measures links itself.
	linkAge = 7 * 24 * time.Hour
	// measuringShare is the part of the time that a run is expected to take that measuring before it may take.
	measuringShare = 0.01
	leastMeasuring = 50 * time.Millisecond
)

// lately returns the newest profile on these hosts whose links are not too old, nil without one.
func lately(s Settings, hosts []string) *profile.Profile {
	p := s.Profiles.LastOn(hosts)
	unknown := func(host string) bool { return indexOf(p, host) < 0 } // files are found by digests of few digits
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

// setsOf returns by rank the group of its host in an earlier run, nil if it is not known for all.
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

// remember notes the links and lines of an earlier run between today's Sets.
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

// tell has links of an earlier run be verified, and others be measured in limited time.
func (e *earlier) tell(plan *probe.Plan) {
	plan.Budget = e.Budget
	if e.Links != nil {
		plan.Known, plan.KnownLines, plan.KnownAt = convertLinks[probe.Way](e.Links), e.Lines, time.Unix(e.At, 0).UTC()
	}
}

// window is the least that TCP lets a sender have on its way before an answer: where only the latency of a link is
// known, it is taken to send so many bytes in a round trip.
const window = 64 << 10

// unknownRate has links whose latency was measured alone be as slow as their latency suggests.
func unknownRate(p *rebalancer.Platform, found [][]rebalancer.Link) {
	for a, row := range found {
		for b, l := range row {
			if likely := 2 * l.Latency / window; l.Latency > 0 && l.PerByte == 0 && p.Links[a][b] == DefaultLink {
				p.Links[a][b].PerByte = max(DefaultLink.PerByte, likely)
			}
		}
	}
}
