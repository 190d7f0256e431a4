package hostfile

import (
	"net/netip"
	"slices"
	"strings"
)

// index finds hosts by name: without regard to case and, unless names are full,
// with or without domain.
type index struct {
	fullNames bool
	names     map[string]int   // in lower case
	labels    map[string][]int // hosts with a domain, by the part of the name before it
}

func newIndex(fullNames bool) index {
	return index{fullNames: fullNames, names: map[string]int{}, labels: map[string][]int{}}
}

// label returns the part of a name before its domain, and whether it has a domain.
// Addresses have none.
func label(name string) (string, bool) {
	first, _, dotted := strings.Cut(name, ".")
	if !dotted || strings.Contains(name, ":") {
		return name, false
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return name, false
	}
	return first, true
}

// lookUp returns the host that a name means, or -1. If it may be several hosts these
// are the others.
func (x *index) lookUp(name string) (host int, others []int) {
	name = strings.ToLower(name)
	if host, ok := x.names[name]; ok {
		return host, nil
	}
	if x.fullNames {
		return -1, nil
	}
	if first, dotted := label(name); dotted {
		if host, ok := x.names[first]; ok {
			return host, nil
		}
		return -1, nil
	}
	switch hosts := x.labels[name]; len(hosts) {
	case 0:
		return -1, nil
	case 1:
		return hosts[0], nil
	default:
		return -1, hosts
	}
}

// enter makes a host known by a name.
func (x *index) enter(name string, host int) {
	name = strings.ToLower(name)
	x.names[name] = host
	if first, dotted := label(name); dotted {
		x.labels[first] = append(x.labels[first], host)
	}
}

// forget undoes enter.
func (x *index) forget(name string, host int) {
	name = strings.ToLower(name)
	delete(x.names, name)
	if first, dotted := label(name); dotted {
		x.labels[first] = slices.DeleteFunc(x.labels[first], func(h int) bool { return h == host })
	}
}

// namesakes returns the hosts that have the name in other domains.
func (x *index) namesakes(name string) []int {
	first, dotted := label(strings.ToLower(name))
	if !dotted {
		return nil
	}
	return x.labels[first]
}
