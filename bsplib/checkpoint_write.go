package bsplib

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/mpi"
)

// attempt is a checkpoint that the ranks try to write.
type attempt struct {
	destination
	stop    bool                 // the run is to end
	failed  bool                 // all ranks agree
	failure string               // why, on rank 0
	m       *checkpoint.Manifest // on rank 0
	begun   time.Duration
	took    time.Duration
}

// destination is what rank 0 tells all ranks of a checkpoint that is to be written.
type destination struct {
	Path   string // of its directory
	ID     checkpoint.ID
	Number int
}

// partReport is what a rank has written.
type partReport struct {
	Part     checkpoint.Part
	At       position // of its processes
	Reported *reported
	Failure  string
}

// takeCheckpoint writes all processes to disk, between two stages. If that was
// asked for by a Request, it ends the run.
//
// Of the three exchanges the first tells the ranks where to write, the second
// rank 0 what they have written; after the third the checkpoint is complete.
func (r *rank) takeCheckpoint() *Error {
	a := &attempt{begun: r.clock.Wall()}
	if err := r.planCheckpoint(a); err != nil {
		return err
	}
	for _, next := range []func(*attempt) *Error{r.writeParts, r.completeCheckpoint} {
		if a.failed {
			break
		}
		if err := next(a); err != nil {
			return err
		}
	}
	a.took = r.clock.Wall() - a.begun
	r.tellCheckpoint(a)
	r.checkpoint.rest(r, a.begun)
	if a.failed || !a.stop {
		return nil
	}
	return r.endCheckpointed(a)
}

// planCheckpoint makes the directory on rank 0, and tells all ranks of it and
// whether the run is to end.
func (r *rank) planCheckpoint(a *attempt) *Error {
	c, flags := r.checkpoint, mpi.Flags(0)
	if asked := c.request.count.Load(); asked != c.served {
		c.served = asked
		flags |= flagCheckpoint
	}
	if r.comm.Rank() == 0 {
		if a.failure = c.create(a); a.failure != "" {
			flags |= flagFail
		}
		for to := range r.comm.Size() {
			if err := control.Send(r.control, to, &a.destination); err != nil {
				return r.engineError(err)
			}
		}
	}
	all, err := r.control.Exchange(flags)
	if err != nil {
		return r.engineError(err)
	}
	a.stop, a.failed = all&flagCheckpoint != 0, all&flagFail != 0
	err = control.Each(r.control, func(_ int, d *destination) error {
		a.destination = *d
		return nil
	})
	if err != nil {
		return r.engineError(err)
	}
	return nil
}

// create makes the directory of a checkpoint, or says why it cannot.
func (c *checkpointing) create(a *attempt) (failure string) {
	dir, err := filepath.Abs(c.Dir)
	if err == nil {
		a.Path, a.Number, err = checkpoint.Create(dir, c.caller.Program, c.run)
	}
	if err != nil {
		return err.Error()
	}
	a.ID = checkpoint.NewID()
	return ""
}

// writeParts has each rank write its processes and tell rank 0 about it.
func (r *rank) writeParts(a *attempt) *Error {
	said, flags := r.writePart(a), mpi.Flags(0)
	if said.Failure != "" {
		flags = flagFail
	}
	if err := control.Send(r.control, 0, said); err != nil {
		return r.engineError(err)
	}
	all, err := r.control.Exchange(flags)
	if err != nil {
		return r.engineError(err)
	}
	if a.failed = all&flagFail != 0; r.comm.Rank() != 0 {
		return nil
	}
	a.m = r.newManifest(a)
	err = control.Each(r.control, func(_ int, said *partReport) error {
		if a.failure == "" {
			a.failure = said.Failure
		}
		return addPart(a.m, said)
	})
	if err != nil {
		return r.engineError(err)
	}
	if a.failed {
		checkpoint.Remove(a.Path)
	}
	return nil
}

// writePart writes this rank's processes, where it has any.
func (r *rank) writePart(a *attempt) *partReport {
	said := &partReport{Reported: r.reported}
	if len(r.procs) == 0 {
		return said
	}
	said.At = r.procs[0].stages.at
	var err error
	said.Part, err = checkpoint.WritePart(a.Path, a.ID, r.comm.Rank(), func(w *checkpoint.Writer) error {
		for _, p := range r.procs {
			if err := p.writeTo(w); err != nil {
				return err
			}
		}
		return nil
	})
	said.Part.Host = r.hosts[r.comm.Rank()]
	if err != nil {
		said.Failure = r.onHost(err)
	}
	return said
}

// onHost says where an error of this rank has happened.
func (r *rank) onHost(err error) string {
	return fmt.Sprintf("rank %d on %s: %v", r.comm.Rank(), r.hosts[r.comm.Rank()], err)
}

// completeCheckpoint writes the manifest, and then removes older checkpoints.
func (r *rank) completeCheckpoint(a *attempt) *Error {
	flags := mpi.Flags(0)
	if r.comm.Rank() == 0 {
		if err := checkpoint.Commit(a.Path, a.m); err != nil {
			a.failure, flags = r.onHost(err), flagFail
			checkpoint.Remove(a.Path)
		}
	}
	all, err := r.control.Exchange(flags)
	if err != nil {
		return r.engineError(err)
	}
	if a.failed = all&flagFail != 0; !a.failed && r.comm.Rank() == 0 {
		if err := checkpoint.Prune(filepath.Dir(a.Path), r.checkpoint.caller.Program, r.checkpoint.run); err != nil {
			r.checkpoint.say("warning: an old checkpoint stays: %v", err)
		}
	}
	return nil
}
