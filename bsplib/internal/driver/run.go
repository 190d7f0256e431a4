package driver

import (
	"errors"
	"runtime"
	"sync"

	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/cluster"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/mpi"
)

// Run runs a program of procs processes on those ranks that are in this Go program. It returns the
// error that ended the run, and reports whether all ranks have that error. If a rank fails alone and
// failed is not nil, Run calls failed at once; if a rank waits in vain for another, stuck.
func Run(comms []mpi.Comm, procs int, set *Settings, program *process.Program, failed, stuck func(*failure.Error)) (first *failure.Error, known bool) {
	failures, agreed := make([]*failure.Error, len(comms)), make([]bool, len(comms))
	var shared *clock.Platform
	if set.Emulates() {
		shared = clock.NewPlatform(cluster.PlatformOf(set.Platform), firstPlaces(program, procs, len(comms)))
	}
	var wg sync.WaitGroup
	for i, comm := range comms {
		drive := func() {
			r := newRank(comm, procs, program)
			r.whole = failed != nil
			r.endBy = func(e *failure.Error) {
				stuck(e)
				if !set.MPI {
					comm.Abort(failedRun)
				}
			}
			r.run(set, shared, stuck, func(f *failure.Error) {
				failures[i], agreed[i] = f, f == r.agreed
				if f == nil || agreed[i] {
					return
				}
				if failed != nil && !errors.Is(f, mpi.ErrAborted) {
					failed(f)
				}
				if !set.MPI {
					comm.Abort(failedRun)
				}
			})
		}
		if set.Here {
			drive()
		} else {
			wg.Go(drive)
		}
	}
	wg.Wait()
	for i, f := range failures {
		if causes(f, first) {
			first, known = f, agreed[i]
		}
	}
	return first, known
}

// failedRun is the exit code with which a failed run aborts the other ranks.
const failedRun = 1

// causes reports whether f, rather than another error, is the cause of a run's end. If several ranks
// have the same error, the cause is the error of the rank where it happened.
func causes(f, other *failure.Error) bool {
	switch {
	case f == nil || other != nil && errors.Is(f, mpi.ErrAborted):
		return false
	case other == nil || errors.Is(other, mpi.ErrAborted):
		return true
	}
	return other.Err == nil && f.Err != nil
}

// run drives the rank to the run's end and calls done with the error that ended it, nil if the
// program ended well. It calls done also if a process calls runtime.Goexit. If the rank waits for
// another that does not answer, it calls stuck and does not return.
func (r *Rank) run(set *Settings, shared *clock.Platform, stuck, done func(*failure.Error)) {
	r.Cluster.Silent = func(err error) {
		e := r.engineError(err)
		e.Err = nil
		stuck(e)
	}
	var f *failure.Error
	defer func() {
		for _, p := range r.crew.procs {
			if f == nil && p.Failure != nil {
				f = p.Failure
			}
		}
		done(f)
	}()
	if shared != nil || r.Home.Program.HasFixed() { // its memory may hold addresses of the thread
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		mpi.KeepThread(r.Home.Comm)
	}
	s := &starter{r: r, set: set, shared: shared}
	if f = s.start(); f == nil {
		f = r.drive()
	}
}
