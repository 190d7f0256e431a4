package driver

import (
	"cmp"
	"errors"
	"runtime/debug"
	"syscall"

	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/membership"
	"github.com/migbsp/migbsp/bsplib/internal/profiling"
	"github.com/migbsp/migbsp/bsplib/internal/site"
)

// This file drives the processes of a rank. They run on coroutines (worker.go), which the rank's
// goroutine resumes and which yield in Sync: a switch from one process to the next takes tens of
// nanoseconds and does not involve the scheduler. A single process runs the barrier in its own Sync.

// drive runs the processes to their end. A nil result means that all ended well, on all ranks.
func (r *Rank) drive() (failed *failure.Error) {
	defer r.crew.end()
	if failure.Owner != nil {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer fault(r, &failed)
	}
	r.Now.pulse.Begin(r.Now.Step)
	if err := r.dismiss(); err != nil {
		return err
	}
	r.beginWork()
	for !r.Now.over {
		r.Now.rearranged = false
		if r.Members.Away() {
			if err := r.sleep(); err != nil {
				return r.unverified(err)
			}
			continue
		}
		if err := r.crew.superstep(); err != nil {
			return err
		}
		if r.Now.rearranged {
			continue
		}
		if err := r.barrier(); err != nil {
			return r.unverified(err)
		}
	}
	if err := r.recall(membership.End); err != nil {
		return err
	}
	if err := r.conclude(); err != nil {
		return err
	}
	for _, p := range r.crew.procs {
		p.Release()
	}
	return nil
}

// fault converts a panic by access to memory that the program has named to a failure.
func fault(r *Rank, failed **failure.Error) {
	v, p := recover(), r.crew.first()
	if v == nil {
		if f := *failed; f != nil && p != nil && errors.Is(f.Err, syscall.EFAULT) { // memory of another rank
			f.Text, f.Site = "an area or an argument of a put or get has no memory, or it is read-only: "+f.Text, site.Name(p.site)
		}
		return
	}
	address, is := failure.OfFault(v)
	if !is || p == nil {
		panic(v)
	}
	*failed = p.ErrorHere(failure.FaultText(address))
	(*failed).Pid, (*failed).Site = failure.Owner(address), site.Name(p.site)
}

// unverified returns err. It keeps the account of a run that ends with ErrNotVerified.
func (r *Rank) unverified(err *failure.Error) *failure.Error {
	if errors.Is(err, failure.ErrNotVerified) {
		return cmp.Or(r.conclude(), err)
	}
	return err
}

// stateOf returns the rank's state between two supersteps for a profile. ended is true after the last
// superstep.
func stateOf(r *Rank, ended bool) profiling.State {
	return profiling.State{Control: r.control, Cluster: r.Cluster, Timing: r.Timing, Where: r.Home.Where, Step: r.Now.Step, Ended: ended}
}

// conclude writes the profile and ends the account, after the last superstep.
func (r *Rank) conclude() *failure.Error {
	if err := r.stopAccount(); err != nil {
		return err
	}
	if err := r.Outcome.profile.Write(stateOf(r, true)); err != nil {
		return r.engineError(err)
	}
	return r.engineError(r.Outcome.ship(r.control))
}
