package sim

import "fmt"

// Platform is a simulated machine: hosts, links, and a route between each two hosts.
type Platform struct {
	Name  string
	Hosts []Host
	Links []Link
	Sets  []Set
	Fixed float64 // seconds of each superstep besides computing and messages
	root  *zone
	loops bool // some hosts reach themselves over links
}

// Host computes. Processes on it share its cores fairly.
type Host struct {
	Name  string
	Speed float64 // floating-point operations per second of one core
	Cores int     // at least 1
	Set   int     // index in Sets
	Share Shares  // part of Speed that it gives over time
	// Declared is the Speed that is declared before a run; 0 if it is right.
	Declared float64
	point    *point
}

// Link carries messages in one direction or in both.
type Link struct {
	Name      string
	Rate      float64  // bytes per second
	Latency   float64  // seconds
	Unlimited bool     // each message has the whole rate, for any number of messages
	Share     Shares   // part of Rate that it gives over time
	Delay     *Profile // latency in seconds over time, nil if it stays
}

// Set is a group of hosts that are close to each other: the hosts of one zone.
type Set struct {
	Name    string
	Manager int // index of a host
}

// Route is the path of a message between two hosts.
type Route struct {
	Links   []int
	Latency float64
}

// Route returns the path from one host to another. Within a host it is empty, unless the
// platform gives the host a loop.
func (p *Platform) Route(from, to int) (Route, error) {
	var r Route
	if from == to {
		r.Links = p.Hosts[from].point.loop()
	} else {
		var err error
		if r.Links, err = path(p.Hosts[from].point, p.Hosts[to].point); err != nil {
			return r, fmt.Errorf("no route from %s to %s: %w", p.Hosts[from].Name, p.Hosts[to].Name, err)
		}
	}
	for _, link := range r.Links {
		r.Latency += p.Links[link].Latency
	}
	return r, nil
}

// district returns the host's zone directly within the outermost zone.
func (p *Platform) district(host int) *zone {
	z := p.Hosts[host].point.zone
	for z.around() != nil && z.around() != p.root {
		z = z.around()
	}
	return z
}
