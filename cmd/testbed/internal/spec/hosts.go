package spec

import (
	"fmt"
	"strconv"
	"strings"
)

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
