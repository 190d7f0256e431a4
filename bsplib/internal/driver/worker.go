package driver

import (
	"iter"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/bsplib/internal/ahead"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/measure"
	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/ledger"
)

// This file runs processes on workers. A worker is a coroutine (iter.Pull) with a stack. A worker
// runs one process up to its next barrier, or to its end. A process in a Sync keeps its worker,
// because its frames are on that stack. A process that has ended a stage of EachStage leaves its
// worker's stack empty, and the worker continues with the next process: then a single worker runs all
// processes of the rank.
//
// Invariants: the rank's goroutine creates and resumes its own workers, because a coroutine that is
// locked to a thread may not resume another thread's coroutines. Either one of them runs, or the
// rank's goroutine, and crew.at is the index of the process that is running. A process leaves its
// program by a panic with Leave, never by runtime.Goexit, which would end the rank with it.
//
// A stack has 2 kB, the minimum in Go, while some 1.1 kB of frames suffice; half of that is used by
// frames below the program's own. So the functions that every process calls (Register, Put, Sync)
// keep their frames small: rarely needed code, such as for the text of an error, is in functions that
// are not inlined.

// crew holds a rank's processes, and the workers that run them.
type crew struct {
	now    *Current
	stream *stream.Stream
	timing *measure.Timing

	procs     []*Process         // in the order of their pids
	processes []*process.Process // the same
	samples   []*loads.Sample    // of them
	at        int                // index of the process that runs
	idle      []*worker          // workers without a process
	here      bool               // the only process runs on the goroutine of the rank
	nameless  bool               // its lines are not Go's
	coroutine uintptr            // the goroutine of iter.Pull that last used a process
	marks     ahead.Marks        // addresses of processes in memory
}

type worker struct {
	yield func(struct{}) bool
	next  func() (struct{}, bool)
	stop  func()

	goroutine uintptr // its site.Goroutine, 0 on the goroutine of the rank
}

// set sets the rank's processes, by pid.
func (c *crew) set(procs []*Process) {
	c.procs, c.samples, c.processes = procs, make([]*loads.Sample, len(procs)), make([]*process.Process, len(procs))
	for i, p := range procs {
		p.index, c.samples[i], c.processes[i] = int32(i), &p.Data.Did, &p.Process
	}
	c.marks.Set(len(procs))
}

// local returns the process with a pid, nil if it is on another rank.
func (c *crew) local(pid int) *Process {
	if d := c.stream.Local[pid]; d != nil {
		return Of(d)
	}
	return nil
}

// apart returns the process.Process of a local process.
func (c *crew) apart(pid int) *process.Process { return &c.local(pid).Process }

// first returns the first process, nil if the rank has none.
func (c *crew) first() *Process {
	if len(c.procs) == 0 {
		return nil
	}
	return c.procs[0]
}

// position returns the progress of the first process in its stage loops.
func (c *crew) position() (at ledger.Progress) {
	if p := c.first(); p != nil && p.Stages.All > 0 {
		s := &p.Stages
		at = ledger.Progress{Loop: s.At.Loop + 1, Stage: s.All - s.Left, Stages: s.All}
	}
	return at
}

// stateBytes returns the number of bytes that a move of the process would transfer, -1 if it is not
// on this rank.
func (c *crew) stateBytes(pid int) int64 {
	if p := c.local(pid); p != nil {
		return p.Bytes()
	}
	return -1
}

// lookFrom prefetches the data of a process a little after the i-th.
func (c *crew) lookFrom(i int) {
	if c.marks.At != nil {
		c.fetchAhead(i + ahead.By)
	}
}

func (c *crew) fetchAhead(i int) {
	if i < len(c.marks.At) {
		c.marks.Fetch(i, unsafe.Pointer(c.procs[i]))
	}
}

// superstep runs each process up to its next barrier, or to its end. A rank
// with a single process may run many supersteps here, up to one before which
// processes came or left.
func (c *crew) superstep() *failure.Error {
	now := c.now
	for c.at = 0; c.at < len(c.procs); c.at++ {
		p := c.procs[c.at]
		c.lookFrom(c.at)
		if p.next != nil {
			p.next()
		} else if !p.ended {
			c.worker().next()
		}
		if now.failure != nil || now.rearranged {
			return now.failure
		}
		if p := c.procs[c.at]; p.Failure != nil {
			if !p.returned {
				return p.Failure
			}
			now.flags |= flagFail
		}
	}
	return nil
}

// worker returns an idle worker, or a new one.
func (c *crew) worker() *worker {
	if n := len(c.idle); n > 0 {
		w := c.idle[n-1]
		c.idle = c.idle[:n-1]
		return w
	}
	w := new(worker)
	if c.here {
		w.yield, w.stop = func(struct{}) bool { return false }, func() {}
		w.next = func() (struct{}, bool) { c.work(w); return struct{}{}, true }
		return w
	}
	w.next, w.stop = iter.Pull(func(yield func(struct{}) bool) {
		w.yield = yield
		c.work(w)
	})
	return w
}

// work runs on a worker: the current process, for any number of supersteps, and the later processes
// without a worker.
func (c *crew) work(w *worker) {
	if !c.here {
		w.goroutine = site.Goroutine()
	}
	for {
		p := c.procs[c.at]
		p.yield, p.next, p.stop = w.yield, w.next, w.stop
		p.Data.Goroutine = w.goroutine
		p.run()
		p.yield, p.next, p.stop = nil, nil, nil
		if w.goroutine != 0 {
			p.Data.Goroutine = stream.NoGoroutine
		}
		if c.now.closed || p.Gone {
			return
		}
		if !c.now.rearranged && c.now.failure == nil {
			if p.ended {
				c.stream.Registry.Retract()
				c.stream.Out.Burst().Finish()
				if c.now.measuring {
					if p.depth > 0 {
						p.leaveOut(c.timing.Clock.Time())
					}
					c.timing.Worked(&p.Data.Did, c.now.Step, 0)
				}
				c.now.flags |= flagEnd
			} else if after := c.at + 1; after < len(c.procs) && c.procs[after].next == nil {
				c.at = after
				c.lookFrom(after)
				continue
			}
		}
		c.idle = append(c.idle, w)
		if !w.yield(struct{}{}) {
			return
		}
	}
}

// end ends the workers, and the processes that still have one.
func (c *crew) end() {
	c.now.closed = true
	for _, p := range c.procs {
		if p.stop != nil {
			p.stop()
		}
	}
	for _, w := range c.idle {
		w.stop()
	}
	c.idle = nil
}

// running returns the process whose turn it is, nil between turns. A monitor calls it on another
// goroutine, without synchronisation, for ranks that have not written their pulse for seconds.
//
//go:norace
//go:noinline
func (c *crew) running() *Process {
	if all, at := c.procs, c.at; uint(at) < uint(len(all)) {
		return all[at]
	}
	return nil
}
