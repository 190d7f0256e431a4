// Package cluster describes the hosts of a run's ranks: their Sets and links, and the
// measurements of the machine.
package cluster

import (
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/listen"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/profile"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

// Cluster is a rank's description of the hosts.
type Cluster struct {
	Platform rebalancer.Platform
	Hosts    []string      // by rank
	Networks []listen.Host // by rank, addresses of its host; zero in a run within one process
	Silent   func(error)   // called by another goroutine if a rank does not answer during measurements

	comm     mpi.Comm
	control  *control.Channel
	cores    []float64 // by rank: cores of its host
	tasks    []hostfile.Task
	grouping *grouping // used by MPI runs

	measured *probe.Calibration // nil if the ranks have not measured the machine together
	share    float64            // of the run's time that measuring may take
	watch    rebalancer.LinkWatch
	took     time.Duration // time spent on measuring before the run
	ran      time.Duration // time from the start of the run to the last call
}

// Settings is the part of the configuration that concerns hosts.
type Settings struct {
	MPI   bool           // each rank is a process of MPI
	Sets  *hostfile.File // the Set of each host, nil if not configured
	File  *hostfile.File // the hosts file, or nil
	Share float64        // of the run's time that measuring may take
	Moves bool           // processes may be moved by a strategy
	// Profiles stores the links of earlier runs. Expected is the expected duration of the run
	// in seconds, 0 if unknown. Only rank 0 uses them.
	Profiles *profile.Store
	Expected float64
}

// New returns an empty Cluster.
func New(comm mpi.Comm, c *control.Channel) *Cluster {
	return &Cluster{comm: comm, control: c, grouping: new(grouping)}
}

// introduction is a rank's message to all ranks before the first superstep.
type introduction struct {
	Shared mpi.Ref
	Task   hostfile.Task
	Cores  float64 // shared by the ranks of its host
	Host   listen.Host
}

// Introduce announces to all ranks this rank's host, the host's addresses, and the name of the
// memory that it shares with the ranks of its node. It returns the names of all ranks' memory.
// All ranks call it before the first superstep.
func (c *Cluster) Introduce(shared mpi.Ref, host listen.Host) ([]mpi.Ref, error) {
	all, err := control.Allgather(c.control, &introduction{shared, probe.ThisTask(), probe.SharedCores(c.comm), host})
	if err != nil {
		return nil, err
	}
	names := make([]mpi.Ref, len(all))
	for rank, its := range all {
		c.Hosts, c.tasks = append(c.Hosts, its.Task.Host), append(c.tasks, its.Task)
		c.cores, c.Networks = append(c.cores, its.Cores), append(c.Networks, its.Host)
		names[rank] = its.Shared
	}
	return names, nil
}

// Assume sets the platform of an in-process run to the file's, or to a uniform platform if f is
// nil.
func (c *Cluster) Assume(f *hostfile.File) {
	c.Platform = rebalancer.Uniform(c.comm.Size(), DefaultLink)
	if f == nil {
		return
	}
	c.Platform = PlatformOf(f)
	for rank := range c.Hosts {
		c.Hosts[rank] = c.Platform.Ranks[rank].Host
	}
}

// ShareCores sets the number of cores that each rank shares with the other ranks of its host.
func (c *Cluster) ShareCores() {
	for rank := range c.Platform.Ranks {
		c.Platform.Ranks[rank].Cores = c.cores[rank]
	}
}

// PresetCores sets the number of shared cores of each rank, for simulated work.
func (c *Cluster) PresetCores(n float64) {
	for rank := range c.Platform.Ranks {
		c.Platform.Ranks[rank].Cores = n
	}
}

// Links returns the source of the links' costs.
func (c *Cluster) Links() string { return c.grouping.Links }

// Sets returns the source of the Sets.
func (c *Cluster) Sets() string { return c.grouping.Origin }

// Took returns the time spent on measuring before the run.
func (c *Cluster) Took() time.Duration { return c.took }

// Warnings returns the warnings about the Sets.
func (c *Cluster) Warnings() []string { return c.grouping.Warnings }

// Emptiest returns the rank of a host with the fewest processes, -1 if the host has no rank.
// where is the rank of each process.
func (c *Cluster) Emptiest(host string, where []int32) int {
	count := make([]int, len(c.Hosts))
	for _, rank := range where {
		count[rank]++
	}
	best := -1
	for rank, name := range c.Hosts {
		if name == host && (best < 0 || count[rank] < count[best]) {
			best = rank
		}
	}
	return best
}

// DefaultLink is the assumed cost of links that were not measured.
var DefaultLink = rebalancer.Link{Latency: 10e-6, PerByte: 1e-9}
