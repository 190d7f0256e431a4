// Package spec reads descriptions of testbeds: clusters of hosts that are slower
// than this machine, and the links between them.
//
//	cores 2
//	cluster alpha hosts=3 speed=30% slots=1 rate=100Mb/s
//	cluster gamma hosts=2 speed=25%,10%
//	link alpha gamma rate=50Mb/s latency=5ms
//
// A line is one of these three; # begins a comment. Their order matters only for the numbers of
// clusters.
//
// cores is the number of the machine's processors to use; the default is all.
//
// The hosts of cluster alpha are alpha1, alpha2 and so on. speed is the speed of all of
// them, or of each, as parts of one processor; it must be given. At most 90 % of a
// processor may be given away, see [Spec.Place]. slots is the number of ranks of each host.
// rate is the rate of each host's own link, in each direction.
//
// The rate of a link is shared by all messages from one of the clusters to the other, in each
// direction; latency is for one direction. Clusters without a link reach each other without a limit,
// and so do hosts without a rate.
package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Spec is a testbed as described.
type Spec struct {
	Name     string // of the file
	Cores    int    // processors to use, 0 for all
	Clusters []Cluster
	Links    []Link
}

// Cluster is a number of hosts on one switch.
type Cluster struct {
	Name  string
	Rate  Rate // of each host's link
	Hosts []Host
}

// Host is a machine of the testbed.
type Host struct {
	Name  string
	Slots int
	Speed Speed
}

// Link connects two clusters, given by their numbers with A < B.
type Link struct {
	A, B    int
	Rate    Rate
	Latency time.Duration // in one direction
}

// Hosts returns the hosts of all clusters, in the order of the file.
func (s *Spec) Hosts() []Host {
	var all []Host
	for _, c := range s.Clusters {
		all = append(all, c.Hosts...)
	}
	return all
}

// Slots is how many ranks all hosts take together.
func (s *Spec) Slots() int {
	slots := 0
	for _, h := range s.Hosts() {
		slots += h.Slots
	}
	return slots
}

// Link is the one between two clusters; without limits if none is described.
func (s *Spec) Link(a, b int) Link {
	a, b = min(a, b), max(a, b)
	for _, l := range s.Links {
		if l.A == a && l.B == b {
			return l
		}
	}
	return Link{A: a, B: b}
}

// LinkName is how commands call a link.
func (s *Spec) LinkName(l Link) string {
	return s.Clusters[l.A].Name + "-" + s.Clusters[l.B].Name
}

// HostFile is a host file of the testbed, which the MPIs and package hostfile
// read: each cluster is a Set.
func (s *Spec) HostFile() string {
	var text strings.Builder
	for _, c := range s.Clusters {
		fmt.Fprintf(&text, "#@set %s manager=%s speed=%s", c.Name, c.Hosts[0].Name, c.Hosts[0].Speed.decimal())
		if c.Rate > 0 {
			fmt.Fprintf(&text, " rate=%v", c.Rate)
		}
		text.WriteByte('\n')
		for _, h := range c.Hosts {
			fmt.Fprintf(&text, "%s slots=%d\n", h.Name, h.Slots)
			if h.Speed != c.Hosts[0].Speed {
				fmt.Fprintf(&text, "#@host %s speed=%s\n", h.Name, h.Speed.decimal())
			}
		}
	}
	for _, l := range s.Links {
		fmt.Fprintf(&text, "#@link %s %s", s.Clusters[l.A].Name, s.Clusters[l.B].Name)
		if l.Rate > 0 {
			fmt.Fprintf(&text, " rate=%v", l.Rate)
		}
		if l.Latency > 0 {
			fmt.Fprintf(&text, " latency=%v", l.Latency)
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// MachineFile is the same for hydra, which does not have slots=.
func (s *Spec) MachineFile() string {
	var text strings.Builder
	for _, h := range s.Hosts() {
		fmt.Fprintf(&text, "%s:%d\n", h.Name, h.Slots)
	}
	return text.String()
}

func (s Speed) decimal() string { return strconv.FormatFloat(float64(s), 'g', 6, 64) }

// Place assigns each host to a processor, the fastest hosts first and always to the processor with
// the least assigned speed. It returns an error if more than MaxSpeed of a processor is then
// assigned, because the testbed itself needs the rest.
func (s *Spec) Place(processors []int) ([]int, error) {
	if s.Cores > len(processors) {
		return nil, fmt.Errorf("%s: cores %d, but this machine has %d", s.Name, s.Cores, len(processors))
	}
	if s.Cores > 0 {
		processors = processors[:s.Cores]
	}
	hosts := s.Hosts()
	order := make([]int, len(hosts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(hosts[b].Speed, hosts[a].Speed) })
	given := make([]Speed, len(processors))
	places := make([]int, len(hosts))
	for _, host := range order {
		least := slices.Index(given, slices.Min(given))
		given[least] += hosts[host].Speed
		places[host] = processors[least]
	}
	if most := slices.Max(given); !Fits(most) {
		return nil, fmt.Errorf("%s: %v of processor %d given away, expected at most %v; take smaller speeds or fewer hosts", s.Name, most, processors[slices.Index(given, most)], MaxSpeed)
	}
	return places, nil
}

// Fits reports whether a processor can give the sum of some speeds.
func Fits(sum Speed) bool { return sum <= MaxSpeed+1e-9 }
