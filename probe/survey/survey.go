package survey

import (
	"fmt"
	"math"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/probe/internal/kernel"
)

// Schema names the form of a Survey in JSON. Within it fields are only
// added.
const Schema = "migbsp.probe/1"

// Survey describes the machines of a run, and the links between them.
type Survey struct {
	Schema string `json:"schema"`
	Engine string `json:"engine"` // the transport of messages
	Origin string `json:"origin"` // source of the Sets
	// Warnings are about hosts and Sets.
	Warnings []string     `json:"warnings,omitempty"`
	Hosts    []HostReport `json:"hosts"` // in the order of their first ranks
	Ranks    []RankReport `json:"ranks"`
	Sets     []SetReport  `json:"sets"`
	Links    []LinkReport `json:"links"` // from each Set to each, and within Sets; only measured ones
	// Missing names the figures that could not be found, with their ranks and the reasons.
	Missing []string `json:"missing,omitempty"`
}

// HostReport is a host as its lowest rank sees it. Its figures of a core (Clock,
// Available, Speed, Throttling) are that rank's.
type HostReport struct {
	*Machine
	Set    string  `json:"set"`
	Ranks  []int   `json:"ranks"`
	Usable float64 `json:"usable"` // cores that its ranks can use at a time
	// Relative is the mean speed of its ranks' cores while they run, where the fastest host
	// has 1; Effective is the same for the part of the cores that the ranks get.
	Relative  float64 `json:"relative_speed"`
	Effective float64 `json:"effective_speed"`
	Share     float64 `json:"share"`           // of a core, which its ranks got in the mean
	Busy      float64 `json:"busy"`            // share of its ranks' cores that others used
	Route     *Route  `json:"route,omitempty"` // to another host, the manager of the next Set if the run has several
}

// RankReport has the findings of one rank.
type RankReport struct {
	Rank      int             `json:"rank"`
	Host      string          `json:"host"`
	Set       string          `json:"set"`
	Cores     probe.Cores     `json:"cores"`
	Allowed   string          `json:"allowed_cores,omitempty"` // a list such as 0-3,8
	Available probe.Available `json:"available"`
	Speed     probe.Speed     `json:"speed"`
	// Busy is the share of its cores that others used while all ranks waited.
	Busy           float64     `json:"busy"`
	ThrottlingBusy *Throttling `json:"throttling_busy,omitempty"`
}

// SetReport is a group of hosts.
type SetReport struct {
	Name        string `json:"set"`
	Manager     string `json:"manager"`
	ManagerRank int    `json:"manager_rank"`
	Hosts       int    `json:"hosts"`
	Ranks       int    `json:"ranks"`
}

// LinkReport is the cost of messages between the managers of two Sets, or between
// two ranks of one.
type LinkReport struct {
	From string `json:"from"`
	To   string `json:"to"`
	probe.Way
	Rate float64 `json:"rate"` // bytes per second of a long message
}

// Interface returns the interface that leads to the other hosts, or without other hosts the
// first that is up and leads out; nil if none is known.
func (h *HostReport) Interface() *Interface {
	for i := range h.Interfaces {
		is := &h.Interfaces[i]
		if h.Route != nil && is.Name == h.Route.Interface {
			return is
		}
		if h.Route == nil && is.Up && !is.Loopback && len(is.Addresses) > 0 {
			return is
		}
	}
	return nil
}

// Lost counts the packets that the host's interfaces were seen to lose, and
// reports whether they were watched.
func (h *HostReport) Lost() (packets int64, known bool) {
	for _, is := range h.Interfaces {
		if is.Flow != nil {
			packets, known = packets+is.Flow.Errors+is.Flow.Dropped, true
		}
	}
	return packets, known
}

// Link returns the link from one Set to another, or within one, nil if it was not measured.
func (s *Survey) Link(from, to string) *LinkReport {
	for i := range s.Links {
		if l := &s.Links[i]; l.From == from && l.To == to {
			return l
		}
	}
	return nil
}

// newSurvey merges the measurements of the ranks.
func newSurvey(engine string, g *hostfile.Grouping, o *orders, all []found, ways [][]probe.Way) *Survey {
	s := &Survey{Schema: Schema, Engine: engine, Origin: g.Origin, Warnings: g.Warnings, Links: []LinkReport{}}
	for _, set := range g.File.Sets {
		s.Sets = append(s.Sets, SetReport{Name: set.Name})
	}
	s.addHosts(g, o, all)
	for rank, f := range all {
		host := o.Place[rank]
		s.addRank(rank, &s.Hosts[host], &f)
		s.Sets[o.Sets[rank]].Ranks++
	}
	for set, manager := range o.Managers {
		s.Sets[set].Manager, s.Sets[set].ManagerRank = s.Hosts[o.Place[manager]].Name, manager
	}
	s.compare()
	s.addLinks(ways)
	return s
}

// addHosts enters each host as its lowest rank has found it.
func (s *Survey) addHosts(g *hostfile.Grouping, o *orders, all []found) {
	s.Hosts = make([]HostReport, len(g.File.Hosts))
	for i := range s.Hosts {
		s.Hosts[i].Machine = new(Machine)
	}
	for rank, f := range all {
		place := o.Place[rank]
		h := &s.Hosts[place]
		if len(h.Ranks) == 0 {
			*h.Machine, h.Route = f.Machine, f.Route
			h.Name, h.Missing = g.File.Hosts[place].Name, nil // s.Missing has it
			set := g.File.Hosts[place].Set
			h.Set = s.Sets[set].Name
			s.Sets[set].Hosts++
		}
		h.Ranks = append(h.Ranks, rank)
	}
	for i := range s.Hosts {
		s.Hosts[i].Usable = usable(s.Hosts[i].Ranks, all)
	}
}

// addRank enters a rank's own measurements.
func (s *Survey) addRank(rank int, h *HostReport, f *found) {
	m := &f.Machine
	s.Ranks = append(s.Ranks, RankReport{
		Rank: rank, Host: h.Name, Set: h.Set,
		Cores: m.Cores, Allowed: f.Allowed, Available: m.Available, Speed: m.Speed,
		Busy: m.Load.Allowed, ThrottlingBusy: m.ThrottlingBusy,
	})
	for _, text := range m.Missing {
		s.Missing = append(s.Missing, fmt.Sprintf("%s (rank %d): %s", h.Name, rank, text))
	}
}

// usable returns the number of cores that the given ranks have together, within their quota.
func usable(ranks []int, all []found) float64 {
	cores := map[int]bool{}
	most, quota := 0.0, 0.0
	for _, rank := range ranks {
		for _, core := range kernel.Numbers(all[rank].Allowed) {
			cores[core] = true
		}
		c := all[rank].Machine.Cores
		most, quota = max(most, c.Usable()), max(quota, c.Quota)
	}
	if len(cores) > 0 {
		most = float64(len(cores))
	}
	if quota > 0 {
		return min(quota, most)
	}
	return most
}

// compare relates the hosts' speeds.
func (s *Survey) compare() {
	fastest, best := 0.0, 0.0
	for i := range s.Hosts {
		h := &s.Hosts[i]
		for _, rank := range h.Ranks {
			r, n := &s.Ranks[rank], float64(len(h.Ranks))
			share := 1.0
			if r.Available.Over > 0 {
				share = r.Available.Share
			}
			speed := r.Speed.Computing()
			h.Relative += speed / n
			h.Effective += speed * share / n
			h.Share += share / n
			h.Busy += r.Busy / n
		}
		fastest, best = max(fastest, h.Relative), max(best, h.Effective)
	}
	for i := range s.Hosts {
		if h := &s.Hosts[i]; fastest > 0 && best > 0 {
			h.Relative, h.Effective = h.Relative/fastest, h.Effective/best
		}
	}
}

// addLinks enters the measured links.
func (s *Survey) addLinks(ways [][]probe.Way) {
	for a := range ways {
		for b, w := range ways[a] {
			if w.Measured() {
				s.Links = append(s.Links, LinkReport{From: s.Sets[a].Name, To: s.Sets[b].Name, Way: w, Rate: rateOfWay(w)})
			}
		}
	}
}

// rateOfWay returns bytes per second, 0 if the rate is too high to measure.
func rateOfWay(w probe.Way) float64 {
	if rate := 1 / w.PerByte; w.PerByte > 0 && !math.IsInf(rate, 0) {
		return rate
	}
	return 0
}
