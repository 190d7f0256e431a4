package hostfile

import (
	"errors"
	"fmt"
)

// Task describes a rank, as the rank itself knows it.
type Task struct {
	Host     string // the name that its users know: SLURMD_NODENAME, else the name of the node
	Topology string // its SLURM_TOPOLOGY_ADDR, or ""
}

// Clues are the possible sources of Sets.
type Clues struct {
	Sets   *File               // of -sets FILE; nil if not given
	Hosts  *File               // of -hosts FILE; nil if not given
	Getenv func(string) string // the environment of rank 0; nil if it is empty
	Near   []int               // by rank: the group of hosts that are near to each other, as measured; nil if that is not known
}

// Grouping has the ranks of a run in Sets.
type Grouping struct {
	// File has only the hosts of the run, in the order of their first ranks, with a slot
	// for each rank, and only the Sets that have ranks. Figures and links come from the
	// Clues.
	File     *File
	Place    []int    // index in File.Hosts, by rank
	Managers []int    // rank, by Set
	Origin   string   // the source that divided the hosts, for people
	Warnings []string // one line each
	Assumed  bool     // no source divides the hosts
}

// Group puts the ranks of a run into Sets. The first of these sources that exists divides
// the hosts: Sets; lines #@set of Hosts; MIGBSP_SETS; the components of a heterogeneous
// Slurm job; SLURM_TOPOLOGY_ADDR; Near. Without any of them all hosts are one Set.
//
// Rules. Names of hosts are the same in upper and lower case. A name without a domain means
// the host of exactly this name, else the only host that has it in any domain; two names
// with different domains are never the same host. Hosts in no Set are in Set "default". Of
// a SLURM_TOPOLOGY_ADDR such as wan.siteA.alpha01 the Set is the name at the highest level
// before the node at which the run has two or more.
//
// Errors: a name that may mean several hosts, a host in two Sets, a manager outside its
// Set, a MIGBSP_SETS that cannot be read. Warnings, which a run survives: hosts in no Set;
// Sets without ranks, which are left out; more ranks on a host than it has slots; managers
// without ranks, which the Set's lowest rank replaces.
//
// Cost: linear in tasks and hosts, and for the links quadratic in Sets.
func (c Clues) Group(tasks []Task) (*Grouping, error) {
	if len(tasks) == 0 {
		return nil, errors.New("a run without ranks cannot be grouped into Sets")
	}
	g := &grouper{grouping: &Grouping{Place: make([]int, len(tasks))}, clues: c}
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
	return g.grouping, nil
}

// grouper is the state of Group.
type grouper struct {
	grouping *Grouping
	clues    Clues
	hosts    []runHost
	divided  *File  // the source of the Sets
	what     string // it is, in warnings
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
	g.grouping.Warnings = append(g.grouping.Warnings, fmt.Sprintf(format, values...))
}
