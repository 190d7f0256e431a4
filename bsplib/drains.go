package bsplib

import (
	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/internal/drain"
	"github.com/migbsp/migbsp/mpi"
)

// Drains are the hosts that a run leaves because someone outside of its program says so: who
// looks after the machines, or a batch system. All processes leave them when a stage ends,
// and none comes there until they are left out again. Any goroutine may use it at any time;
// in an MPI run that of the rank with number 0 counts, and all ranks have one.
type Drains struct{ hosts drain.Hosts }

// DrainedHost is a host that a run is to leave, and who says so, "" if that needs no
// mention.
type DrainedHost = drain.Host

// Set says which hosts are to be left, instead of those of the last Set. Hosts that the run
// is not on are no matter. A Set that would leave no host is refused: then those of the
// one before count.
func (d *Drains) Set(hosts ...DrainedHost) { d.hosts.Set(hosts...) }

// hearDrains has all ranks learn whether rank 0, which is away, has a list of hosts to leave
// that no call knows of. All ranks call it.
func (r *rank) hearDrains() *Error {
	if r.emptying == nil {
		return nil
	}
	flags := mpi.Flags(0)
	if r.emptying.Due() {
		flags = flagCall
	}
	all, err := r.channels.control.Exchange(flags)
	if err != nil {
		return r.engineError(err)
	}
	r.emptying.SetPending(all != 0)
	return nil
}

// answerDrains writes on rank 0 what a call has made of the hosts that it was asked to leave,
// when its moves are made.
func (r *rank) answerDrains(d *balance.Decided) {
	for _, a := range r.emptying.Answers(d.Moves, r.where, func(pid int) string { return ruleFor(pid, d.Verdicts) }) {
		a.Step, a.At = r.now.step-1, r.timing.clock.Now().Seconds()
		r.timing.account.Drained(&a)
	}
}
