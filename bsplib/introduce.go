package bsplib

import (
	"errors"

	"github.com/migbsp/migbsp/bsplib/internal/cluster"
	"github.com/migbsp/migbsp/bsplib/internal/collective"
)

// introduce tells all ranks where this one runs, and makes its progress known
// to those that share memory with it. All ranks call it before the first
// superstep.
func (r *rank) introduce() *Error {
	all, err := r.cluster.Introduce(r.stream.Peers.Open(r.now.step, collective.SharedBytes))
	if err != nil {
		return r.engineError(err)
	}
	for rank, ref := range all {
		r.stream.Peers.Meet(rank, ref)
	}
	return nil
}

// findPlaces finds out where the ranks are, from what the configuration says.
func (r *rank) findPlaces(cfg *Config, s cluster.Settings) *Error {
	switch {
	case cfg.Comm == nil:
		r.cluster.Assume(cfg.Platform)
	default:
		r.cluster.Assume(nil)
		err := r.cluster.Group(s)
		if problem, is := errors.AsType[cluster.Problem](err); is {
			return &Error{Pid: -1, Rank: r.comm.Rank(), Superstep: 1, Text: problem.Error(), Err: problem, known: true}
		} else if err != nil {
			return r.engineError(err)
		}
	}
	switch {
	case cfg.Comm == nil && cfg.Platform != nil:
	case cfg.work != nil:
		r.cluster.PresetCores(cfg.cores)
	default:
		r.cluster.ShareCores()
	}
	return nil
}
