package hostfile

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Task is the place of a rank, as the rank itself knows it.
type Task struct {
	Host     string // as its users know it: SLURMD_NODENAME, else the name of the node
	Topology string // its SLURM_TOPOLOGY_ADDR, or ""
}

// Clues are the sources that may say which host belongs to which Set.
type Clues struct {
	Sets   *File               // of -sets FILE; nil if not given
	Hosts  *File               // of -hosts FILE; nil if not given
	Getenv func(string) string // the environment of rank 0; nil if it is empty
	Near   []int               // by rank: the group of hosts that are near to each other, as measured; nil if that is not known
}

// Grouping has the ranks of a run in Sets.
type Grouping struct {
	// File has only the hosts of the run, in the order of their first ranks, with
	// as many slots as ranks, and only the Sets that have ranks. Figures and links
	// come from the Clues.
	File     *File
	Place    []int    // index in File.Hosts, by rank
	Managers []int    // rank, by Set
	Origin   string   // the source that divided the hosts, for people
	Warnings []string // one line each
	Assumed  bool     // no source divides the hosts
}

// Group puts the ranks of a run into Sets. The first of these sources that there is
// divides the hosts: Sets; lines #@set of Hosts; MIGBSP_SETS; the components of a
// heterogeneous Slurm job; SLURM_TOPOLOGY_ADDR; Near. If there is none, all hosts are one Set.
//
// Rules. Names of hosts are the same in upper and lower case. A name without a
// domain means the host of exactly this name, else the one host that has it in
// any domain; two names with different domains are never the same host. Hosts
// that no Set names are in Set "default". Of a SLURM_TOPOLOGY_ADDR such as
// wan.siteA.alpha01 the Set is the name at the highest level before the node at
// which the run has two or more.
//
// Errors: a name that may mean several hosts, a host in two Sets, a manager
// outside its Set, a MIGBSP_SETS that cannot be read. Warnings, which a run
// survives: hosts that no Set names, Sets without ranks, which are left out, more
// ranks on a host than it has slots, managers without ranks, in whose place the
// Set's lowest rank is.
//
// Cost: linear in tasks and hosts, and for the links quadratic in Sets.
func (c Clues) Group(tasks []Task) (*Grouping, error) {
	if len(tasks) == 0 {
		return nil, errors.New("a run without ranks cannot be grouped into Sets")
	}
	g := &grouper{Grouping: &Grouping{Place: make([]int, len(tasks))}, clues: c}
	if c.Getenv == nil {
		g.clues.Getenv = func(string) string { return "" }
	}
	for _, step := range []func() error{
		func() error { return g.findHosts(tasks) }, g.choose, g.match, g.checkManagers,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	g.build()
	return g.Grouping, nil
}

// grouper holds what is known while a run is grouped.
type grouper struct {
	*Grouping
	clues   Clues
	hosts   []runHost
	divided *File  // that says which host is in which Set
	what    string // it is, in warnings
}

// runHost is a host with ranks of the run.
type runHost struct {
	name     string
	ranks    []int
	topology string // of its first rank
	set      int    // index in the dividing file's Sets, or -1: none names it
	divided  int    // index in the dividing file's Hosts, or -1
	known    int    // index in the Hosts of -hosts, or -1
}

// warnf adds a warning.
func (g *grouper) warnf(format string, values ...any) {
	g.Warnings = append(g.Warnings, fmt.Sprintf(format, values...))
}

// choose takes the first clue that there is.
func (g *grouper) choose() (err error) {
	c := g.clues
	switch {
	case c.Sets != nil:
		g.divided, g.what = c.Sets, filepath.Base(c.Sets.Name)
		if g.Origin = "-sets " + g.what; strings.HasPrefix(g.what, "-") {
			g.Origin = g.what // a flag whose value is no file
		}
		return nil
	case c.Hosts != nil && c.Hosts.Divided():
		g.divided, g.what = c.Hosts, filepath.Base(c.Hosts.Name)
		g.Origin = c.Hosts.DividedBy()
		return nil
	}
	if text := c.Getenv(SetsVariable); text != "" {
		g.divided, err = ParseSets(SetsVariable, text)
		g.Origin, g.what = SetsVariable, SetsVariable
		return err
	}
	if g.hetComponents() || g.topologyAddresses() || g.nearHosts() {
		return nil
	}
	g.Assumed = true
	g.Origin, g.what = "one Set for all hosts", "this run"
	g.divided = &File{Name: g.Origin}
	return nil
}

// topologyAddresses divides the run by the switches in the environment of Slurm's tasks,
// at the highest level at which there are at least two, as topology.conf does.
func (g *grouper) topologyAddresses() bool {
	switches := make([][]string, len(g.hosts)) // of each host, the highest first
	deepest := 0
	for i := range g.hosts {
		switches[i] = switchesAbove(g.hosts[i].name, g.hosts[i].topology)
		deepest = max(deepest, len(switches[i]))
	}
	for level := range deepest {
		f := &File{Name: "SLURM_TOPOLOGY_ADDR"}
		sets := map[string]int{}
		for i := range g.hosts {
			if level >= len(switches[i]) {
				continue
			}
			name := setName(switches[i][level])
			set, known := sets[name]
			if !known {
				set = len(f.Sets)
				sets[name] = set
				f.Sets = append(f.Sets, newSet(name, 1))
			}
			f.Hosts = append(f.Hosts, Host{Name: g.hosts[i].name, Set: set, Speed: DefaultSpeed, Line: 1, open: true})
		}
		if len(f.Sets) > 1 {
			g.divided, g.what, g.Origin = f, f.Name, f.Name
			return true
		}
	}
	return false
}

// nearOrigin says that hosts were divided by what messages take between them.
const nearOrigin = "measured latencies"

// nearHosts divides the run by what was measured. A Set has the name that its hosts begin with,
// without a number, or that of its first host.
func (g *grouper) nearHosts() bool {
	if g.clues.Near == nil {
		return false
	}
	names := make(map[int]string)
	var order []int
	for _, h := range g.hosts {
		group := g.clues.Near[h.ranks[0]]
		name, known := names[group]
		if !known {
			name = h.name
			order = append(order, group)
		}
		names[group] = common(name, h.name)
	}
	if len(order) < 2 {
		return false
	}
	f := &File{Name: nearOrigin}
	sets, taken := make(map[int]int), make(map[string]bool)
	for _, group := range order {
		name := strings.TrimRight(names[group], "0123456789-_.")
		if name == "" || taken[name] {
			first := slices.IndexFunc(g.hosts, func(h runHost) bool { return g.clues.Near[h.ranks[0]] == group })
			name = g.hosts[first].name
		}
		taken[name] = true
		sets[group] = len(f.Sets)
		f.Sets = append(f.Sets, newSet(setName(name), 1))
	}
	for _, h := range g.hosts {
		f.Hosts = append(f.Hosts, Host{Name: h.name, Set: sets[g.clues.Near[h.ranks[0]]], Speed: DefaultSpeed, Line: 1, open: true})
	}
	g.divided, g.what, g.Origin = f, f.Name, f.Name
	return true
}

// common is what two names begin with.
func common(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// switchesAbove returns the switches in wan.siteA.alpha01. The name of a node may have
// dots.
func switchesAbove(host, address string) []string {
	above, found := strings.CutSuffix(address, "."+host)
	if !found {
		end := strings.LastIndexByte(address, '.')
		above = address[:max(0, end)]
	}
	if above == "" {
		return nil
	}
	return strings.Split(above, ".")
}

// setName makes text the name of a Set.
func setName(text string) string {
	name := []byte(text)
	for i, b := range name {
		if !isNameByte(b) {
			name[i] = '-'
		}
	}
	if len(name) == 0 {
		return "-"
	}
	return string(name[:min(len(name), maxNameLength)])
}
