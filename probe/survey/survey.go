package survey

import "github.com/migbsp/migbsp/probe"

// Schema names the form of a Survey in JSON. Within it fields are only
// added.
const Schema = "migbsp.probe/1"

// Survey is what the machines of a run give, and the ways between them.
type Survey struct {
	Schema string `json:"schema"`
	Engine string `json:"engine"` // what carries messages
	Origin string `json:"origin"` // what has said which host is in which Set
	// Warnings are about hosts and Sets.
	Warnings []string     `json:"warnings,omitempty"`
	Hosts    []HostReport `json:"hosts"` // in the order of their first ranks
	Ranks    []RankReport `json:"ranks"`
	Sets     []SetReport  `json:"sets"`
	Links    []LinkReport `json:"links"` // from each Set to each, and within; only those that were measured
	// Missing says what could not be found out, where, and why.
	Missing []string `json:"missing,omitempty"`
}

// HostReport is a host as its lowest rank sees it. Its figures of a core (Clock,
// Available, Speed, Throttling) are that rank's.
type HostReport struct {
	Machine
	Set    string  `json:"set"`
	Ranks  []int   `json:"ranks"`
	Usable float64 `json:"usable"` // cores that its ranks can use at a time
	// Relative is the mean speed of its ranks' cores while they run, where the
	// fastest host has 1; Effective the same of what the ranks get of them.
	Relative  float64 `json:"relative_speed"`
	Effective float64 `json:"effective_speed"`
	Share     float64 `json:"share"`           // of a core, which its ranks got in the mean
	Busy      float64 `json:"busy"`            // share of its ranks' cores that others used
	Route     *Route  `json:"route,omitempty"` // to another host, the manager of the next Set if there are several
}

// RankReport is what one rank found.
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

// LinkReport is what messages take between the managers of two Sets, or between
// two ranks of one.
type LinkReport struct {
	From string `json:"from"`
	To   string `json:"to"`
	probe.Way
	Rate float64 `json:"rate"` // bytes per second of a long message
}

// Interface is the one that leads to the other hosts, or, where there are none,
// the first that is up and leads out; nil if none is known.
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
