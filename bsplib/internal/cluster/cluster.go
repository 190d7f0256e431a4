// Package cluster is what the ranks of a run know of where they are: hosts, their Sets and links,
// and what of the machine was measured.
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

// Cluster is what a rank knows.
type Cluster struct {
	Platform rebalancer.Platform
	Hosts    []string      // by rank
	Networks []listen.Host // by rank, how its host is reached; zero in a run within one process
	Silent   func(error)   // called by another goroutine where a rank does not answer while the machine is measured

	comm     mpi.Comm
	control  *control.Channel
	cores    []float64 // by rank: those of its host
	tasks    []hostfile.Task
	grouping *grouping // of an MPI run

	measured *probe.Calibration // nil: the machine is not measured together
	share    float64            // of the run's time that measuring may take
	watch    rebalancer.LinkWatch
	took     time.Duration // before the run
	ran      time.Duration // up to the last call
}

// Settings are what a configuration says of it.
type Settings struct {
	MPI   bool           // each rank is a process of MPI
	Sets  *hostfile.File // which host belongs to which Set, nil if that does not say
	File  *hostfile.File // of hosts, nil if there is none
	Share float64        // of the run's time that measuring may take
	Moves bool           // processes may be moved by a strategy
	// Profiles and Expected are for rank 0: where links of earlier runs are found, and the seconds that the run is
	// expected to take, 0 if that is unknown.
	Profiles *profile.Store
	Expected float64
}

// New makes what a rank knows when it begins: nothing.
func New(comm mpi.Comm, c *control.Channel) *Cluster {
	return &Cluster{comm: comm, control: c, grouping: new(grouping)}
}

// introduction is what all ranks learn of a rank before the first superstep.
type introduction struct {
	Shared mpi.Ref
	Task   hostfile.Task
	Cores  float64 // that it shares with the other ranks of its host
	Host   listen.Host
}

// Introduce announces to all ranks where this rank runs, how its host is reached, and the name of
// the memory that it shares with the ranks of its node. It returns the names of all ranks. All ranks
// call it before the first superstep.
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

// Assume takes a platform for that of an in-process run: a file's, or else ranks that are alike.
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

// ShareCores tells decisions which ranks share the cores of a host.
func (c *Cluster) ShareCores() {
	for rank := range c.Platform.Ranks {
		c.Platform.Ranks[rank].Cores = c.cores[rank]
	}
}

// PresetCores has all ranks share so many, for work that is not done at all.
func (c *Cluster) PresetCores(n float64) {
	for rank := range c.Platform.Ranks {
		c.Platform.Ranks[rank].Cores = n
	}
}

// Links says from where it is known what links take, Sets from where what belongs together, and
// Took is how long measuring took before the run.
func (c *Cluster) Links() string { return c.grouping.Links }

// Sets: see Links.
func (c *Cluster) Sets() string { return c.grouping.Origin }

// Took: see Links.
func (c *Cluster) Took() time.Duration { return c.took }

// Warnings are what is odd about the groups.
func (c *Cluster) Warnings() []string { return c.grouping.Warnings }

// Emptiest is the rank of a host with the fewest processes, -1 if there is none. where is the
// rank of each process.
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

// DefaultLink stands for links that were not measured.
var DefaultLink = rebalancer.Link{Latency: 10e-6, PerByte: 1e-9}
