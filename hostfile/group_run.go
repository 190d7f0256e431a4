package hostfile

import (
	"fmt"
	"strings"
)

// noName stands for the host of ranks that do not know the name of theirs.
const noName = "unnamed"

// findHosts lists the hosts of a run. Names with and without a domain may be of
// the same host.
func (g *grouper) findHosts(tasks []Task) error {
	names, ranks := map[string][]int{}, map[string]int{} // hosts and first ranks by name
	hosts := newIndex(false)
	for rank, task := range tasks {
		name := strings.ToLower(task.Host)
		if _, known := ranks[name]; !known {
			ranks[name] = rank
		}
		names[name] = append(names[name], rank)
	}
	// Names with a domain first: so the meaning of a name without one does not depend on
	// the order of ranks.
	for _, dotted := range []bool{true, false} {
		for rank, task := range tasks {
			name := strings.ToLower(task.Host)
			if _, has := label(name); has != dotted || ranks[name] != rank {
				continue
			}
			host, others := hosts.lookUp(name)
			if len(others) > 0 {
				return fmt.Errorf("rank %d runs on host %s, which may be %s (%s) or %s (%s): expected names with their domains",
					rank, quote(task.Host), g.hosts[others[0]].name, g.hosts[others[0]].shown(), g.hosts[others[1]].name, g.hosts[others[1]].shown())
			}
			if host < 0 {
				host = len(g.hosts)
				g.hosts = append(g.hosts, runHost{name: task.Host, topology: task.Topology, set: -1, divided: -1, known: -1})
				hosts.enter(name, host)
			}
			g.hosts[host].ranks = append(g.hosts[host].ranks, names[name]...)
		}
	}
	g.order(len(tasks))
	return nil
}

// order puts hosts into the order of their first ranks, and each one's ranks into
// theirs.
func (g *grouper) order(ranks int) {
	hostOf := make([]int, ranks)
	for host := range g.hosts {
		for _, rank := range g.hosts[host].ranks {
			hostOf[rank] = host
		}
		g.hosts[host].ranks = nil
	}
	place := make([]int, len(g.hosts)) // plus one
	var sorted []runHost
	for rank, host := range hostOf {
		if place[host] == 0 {
			sorted = append(sorted, g.hosts[host])
			place[host] = len(sorted)
		}
		at := place[host] - 1
		sorted[at].ranks = append(sorted[at].ranks, rank)
		g.grouping.Place[rank] = at
	}
	g.hosts = sorted
	for host := range g.hosts {
		if h := &g.hosts[host]; h.name == "" {
			h.name = noName
			g.warnf("%s cannot tell the name of %s host: taken for one host, %q", h.shown(), h.their(), noName)
		}
	}
}

// shown is "rank 3" or "ranks 0-2, 5".
func (h *runHost) shown() string {
	if len(h.ranks) == 1 {
		return fmt.Sprintf("rank %d", h.ranks[0])
	}
	return "ranks " + rangesOf(h.ranks)
}

func (h *runHost) their() string {
	if len(h.ranks) == 1 {
		return "its"
	}
	return "their"
}

// rangesOf is "0-2, 5" for numbers that rise. It has at most maxListed parts.
func rangesOf(numbers []int) string {
	var parts []string
	for from := 0; from < len(numbers); {
		to := from
		for to+1 < len(numbers) && numbers[to+1] == numbers[to]+1 {
			to++
		}
		if len(parts) == maxListed {
			parts = append(parts, "...")
			break
		}
		part := fmt.Sprint(numbers[from])
		if to > from {
			part += fmt.Sprintf("-%d", numbers[to])
		}
		parts = append(parts, part)
		from = to + 1
	}
	return strings.Join(parts, ", ")
}
