package cluster

import (
	"cmp"
	"slices"
	"time"

	"github.com/migbsp/migbsp/internal/profile"
)

// Describe sets the hosts and links of a profile. shares is the share of its core that each
// rank got, 0 if unknown.
func Describe(c *Cluster, p *profile.Profile, shares []float64) {
	index := make(map[string]int)
	for rank, name := range c.Hosts {
		is := c.Platform.Ranks[rank]
		at, known := index[name]
		if !known {
			at = len(p.Hosts)
			index[name] = at
			h := profile.Host{Name: name, Set: c.Platform.Sets[is.Set].Name, Speed: cmp.Or(is.Speed, 1), Cores: is.Cores}
			if rank < len(c.Platform.Lines) {
				h.Line = c.Platform.Lines[rank]
			}
			p.Hosts = append(p.Hosts, h)
		}
		p.Ranks = append(p.Ranks, at)
		if h := &p.Hosts[at]; shares[rank] > 0 && (h.Share == 0 || shares[rank] < h.Share) {
			h.Share = shares[rank]
		}
	}
	for i := range p.Hosts {
		p.Hosts[i].Share = max(leastShare, cmp.Or(p.Hosts[i].Share, 1))
	}
	if c.measured != nil {
		p.Rate = c.measured.Rate
		describeLinks(c, p, c.measured.At)
		if c.measured.Changed { // the Sets may have changed too
			for i := range p.Hosts {
				p.Hosts[i].Set = ""
			}
		}
	}
}

// leastShare is the share of a rank that got no CPU time.
const leastShare = 1e-3

// describeLinks adds the current costs of the measured links.
func describeLinks(c *Cluster, p *profile.Profile, measured time.Time) {
	for a, row := range c.measured.Links() {
		for b, way := range row {
			from, to := p.Ranks[c.Platform.Sets[a].Manager], p.Ranks[c.Platform.Sets[b].Manager]
			if a == b {
				to = mate(p, from)
			}
			if link := c.Platform.Links[a][b]; way.Measured() && to >= 0 && from != to && link.Latency > 0 {
				p.Links = append(p.Links, profile.Link{From: from, To: to, Latency: link.Latency, PerByte: link.PerByte, Measured: measured})
			}
		}
	}
}

// mate returns another host of a host's Set, -1 if the Set has no other.
func mate(p *profile.Profile, host int) int {
	return slices.IndexFunc(p.Hosts, func(h profile.Host) bool {
		return h.Set == p.Hosts[host].Set && h.Name != p.Hosts[host].Name
	})
}
