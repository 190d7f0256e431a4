package bsplib

import (
	"github.com/migbsp/migbsp/bsplib/internal/collective"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

// introduce tells all ranks where this one runs, and makes its progress known
// to those that share memory with it. All ranks call it before the first
// superstep.
func (r *rank) introduce() *Error {
	task := probe.ThisTask()
	ref := r.stream.Peers.Open(r.now.step, collective.SharedBytes)
	all, err := control.Allgather(r.channels.control, &introduction{ref, task, probe.SharedCores(r.comm)})
	if err != nil {
		return r.engineError(err)
	}
	for rank, its := range all {
		r.cluster.hosts, r.cluster.tasks = append(r.cluster.hosts, its.Task.Host), append(r.cluster.tasks, its.Task)
		r.cluster.cores = append(r.cluster.cores, its.Cores)
		r.stream.Peers.Meet(rank, its.Progress)
	}
	return nil
}

// introduction is what all ranks learn of a rank before the first superstep.
type introduction struct {
	Progress mpi.Ref
	Task     hostfile.Task
	Cores    float64 // that it shares with the other ranks of its host
}
