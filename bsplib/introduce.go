package bsplib

import (
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
	ref := r.stream.Peers.Open(r.step, shelfBytes)
	all, err := control.Allgather(r.control, &introduction{ref, task, probe.SharedCores(r.comm)})
	if err != nil {
		return r.engineError(err)
	}
	for rank, its := range all {
		r.hosts, r.tasks = append(r.hosts, its.Task.Host), append(r.tasks, its.Task)
		r.cores = append(r.cores, its.Cores)
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
