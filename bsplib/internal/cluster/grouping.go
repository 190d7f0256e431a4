package cluster

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

// grouping is rank 0's message to all ranks of an MPI run about hosts and Sets.
type grouping struct {
	Platform rebalancer.Platform
	Links    string // source of the links' costs
	Origin   string // source of the Sets
	Warnings []string
	Problem  string // why grouping failed, or ""
	Assumed  bool   // no source divides the hosts
	Earlier  earlier
}

// Group assigns the ranks of an MPI run to Sets. Rank 0 reads its environment and files. If
// these do not define Sets, and processes may move, hosts are grouped by the measured cost of
// messages. An error may be a Problem, which all ranks return.
func (c *Cluster) Group(s Settings) error {
	if err := c.groupBy(s, nil); err != nil || !c.grouping.Assumed || c.grouping.Earlier.Sets || !s.Moves || s.Share == 0 {
		return err
	}
	begun := time.Now()
	near, err := probe.Near(probe.Plan{Comm: c.comm, Hosts: c.Hosts, Silent: c.Silent})
	c.took = time.Since(begun)
	if err != nil || near == nil {
		return err
	}
	return c.groupBy(s, near)
}

// Problem is the reason why ranks cannot be grouped.
type Problem string

func (p Problem) Error() string { return string(p) }

// groupBy broadcasts the grouping from rank 0. near is the measured group of each rank, or nil.
func (c *Cluster) groupBy(s Settings, near []int) error {
	if c.comm.Rank() == 0 {
		p := lately(s, c.Hosts)
		if near == nil {
			near = setsOf(p, c.Hosts)
		}
		*c.grouping = groupingOf(s, c.tasks, near)
		c.grouping.remember(p, c.Hosts, s.Expected, near != nil)
	}
	if err := control.Broadcast(c.control, 0, c.grouping); err != nil {
		return err
	}
	if problem := c.grouping.Problem; problem != "" {
		return Problem(problem)
	}
	c.Platform = c.grouping.Platform
	return nil
}

// groupingOf derives the grouping from files, environment and measured groups.
func groupingOf(s Settings, tasks []hostfile.Task, near []int) grouping {
	found, err := hostfile.Clues{Sets: s.Sets, Hosts: s.File, Getenv: os.Getenv, Near: near}.Group(tasks)
	if err != nil {
		return grouping{Problem: err.Error()}
	}
	g := grouping{
		Platform: describe(found.File, found.Place, found.Managers),
		Links:    "assumed", Origin: found.Origin, Warnings: found.Warnings, Assumed: found.Assumed,
	}
	if found.File.Emulated() {
		g.Links = "hosts file"
	} else {
		for a, row := range g.Platform.Links {
			for b := range row {
				g.Platform.Links[a][b] = DefaultLink
			}
		}
	}
	return g
}

// Print prints the Sets, if the platform has several, and the warnings about them.
func (c *Cluster) Print(w io.Writer, program string) {
	g := c.grouping
	if len(g.Platform.Sets) > 1 {
		fmt.Fprintf(w, "%s: %s; links %s\n", program, g.text(), g.Links)
	}
	for _, text := range g.Warnings {
		fmt.Fprintf(w, "%s: warning: %s\n", program, text)
	}
}

// text returns a summary of the Sets for a banner, such as "2 Sets (MIGBSP_SETS): siteA 2
// hosts, 4 ranks; siteB 1 host, 4 ranks".
func (g *grouping) text() string {
	p := &g.Platform
	parts := make([]string, len(p.Sets))
	for set, is := range p.Sets {
		hosts, ranks := make(map[string]bool), 0
		for _, rank := range p.Ranks {
			if rank.Set == set {
				hosts[rank.Host] = true
				ranks++
			}
		}
		parts[set] = fmt.Sprintf("%s %s, %s", is.Name, ledger.Count(len(hosts), "host"), ledger.Count(ranks, "rank"))
	}
	return fmt.Sprintf("%s (%s): %s", ledger.Count(len(p.Sets), "Set"), g.Origin, strings.Join(parts, "; "))
}

// PlatformOf returns the platform of a hosts file, with one rank per slot.
func PlatformOf(f *hostfile.File) rebalancer.Platform {
	hosts := make([]int, f.Ranks())
	managers := make([]int, len(f.Sets))
	for rank := range hosts {
		hosts[rank] = f.Place(rank)
	}
	for set := range managers {
		managers[set] = f.Manager(set)
	}
	return describe(f, hosts, managers)
}

// describe returns the platform of ranks on the given hosts of a file.
func describe(f *hostfile.File, hosts, managers []int) rebalancer.Platform {
	p := rebalancer.Platform{Barrier: f.Barrier.Seconds()}
	for _, host := range hosts {
		h := f.Hosts[host]
		p.Ranks = append(p.Ranks, rebalancer.Rank{Host: h.Name, Set: h.Set, Speed: h.Speed, Memory: h.Memory / int64(max(1, h.Slots))})
	}
	p.Links = make([][]rebalancer.Link, len(f.Sets))
	for a, set := range f.Sets {
		p.Sets = append(p.Sets, rebalancer.Set{Name: set.Name, Manager: managers[a]})
		p.Links[a] = make([]rebalancer.Link, len(f.Sets))
		for b := range f.Sets {
			l := f.Between(a, b)
			p.Links[a][b] = rebalancer.Link{Latency: l.Latency.Seconds(), PerByte: 1 / l.Rate}
		}
	}
	return p
}
