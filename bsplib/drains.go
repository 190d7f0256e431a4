package bsplib

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/migbsp/migbsp/bsplib/internal/app"
	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
)

// Drains are the hosts that a run leaves because someone outside of its program says so: who
// looks after the machines, or a batch system. All processes leave them when a stage ends,
// and none comes there until they are left out again. Any goroutine may use it at any time;
// in an MPI run that of the rank with number 0 counts, and all ranks have one.
type Drains struct {
	version atomic.Int64
	mu      sync.Mutex
	hosts   []DrainedHost
}

// DrainedHost is a host that a run is to leave, and who says so, "" if that needs no
// mention.
type DrainedHost = app.DrainedHost

// Set says which hosts are to be left, instead of those of the last Set. Hosts that the run
// is not on are no matter. A Set that would leave no host is refused: then those of the
// one before count.
func (d *Drains) Set(hosts ...DrainedHost) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hosts = slices.Clone(hosts)
	d.version.Add(1)
}

// wanted returns what the last Set has said, and its number.
func (d *Drains) wanted() ([]DrainedHost, int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.hosts, d.version.Load()
}

// emptied is a rank's part in leaving hosts: what was asked for and what was done.
type emptied struct {
	drains   *Drains
	seen     int64          // the last Set of this rank that a call knows of
	answered int64          // on rank 0: the one that the last call had
	pending  bool           // rank 0, which is away most of the time, has another one
	drained  []DrainedHost  // on rank 0: those that are empty, or were to be
	awaiting []ledger.Drain // on rank 0: what the call under way has to answer
}

// asked reports whether hosts are to be left that no call knows of.
func (e *emptied) asked() bool {
	return e.pending || e.drains != nil && e.drains.version.Load() != e.seen
}

// hearDrains has all ranks learn whether rank 0 has something to ask for, which is away. All
// ranks call it.
func (r *rank) hearDrains() *Error {
	if r.emptied.drains == nil {
		return nil
	}
	flags := mpi.Flags(0)
	if r.emptied.asked() {
		flags = flagCall
	}
	all, err := r.control.Exchange(flags)
	if err != nil {
		return r.engineError(err)
	}
	r.emptied.pending = all != 0
	return nil
}

// ranksToLeave is what this rank brings to a call of hosts that are to be left.
func (r *rank) ranksToLeave() (o balance.Outside) {
	if r.emptied.drains == nil {
		return o
	}
	hosts, version := r.emptied.drains.wanted()
	o.Version, r.emptied.seen = version, version
	for rank, name := range r.hosts {
		if indexHost(hosts, name) >= 0 {
			o.Ranks = append(o.Ranks, rank)
		}
	}
	return o
}

func indexHost(hosts []DrainedHost, name string) int {
	return slices.IndexFunc(hosts, func(h DrainedHost) bool { return h.Host == name })
}

// drainsHeard takes in which ranks a call has left for someone outside, and on rank 0 finds
// out what is new in that.
func (r *rank) drainsHeard(o balance.Outside, refused bool) {
	e := &r.emptied
	news := e.answered != o.Version
	e.pending, e.answered, e.awaiting = false, o.Version, nil
	if e.drains == nil || r.comm.Rank() != 0 {
		return
	}
	wanted, _ := e.drains.wanted()
	empty := slices.DeleteFunc(slices.Clone(e.drained), func(h DrainedHost) bool { return !r.leaves(o, h) })
	for _, h := range wanted {
		switch {
		case indexHost(empty, h.Host) >= 0 || !slices.Contains(r.hosts, h.Host):
		case r.leaves(o, h):
			empty = append(empty, h)
			e.awaiting = append(e.awaiting, ledger.Drain{Host: h.Host, By: h.By, State: ledger.DrainDone})
		case news && refused:
			e.awaiting = append(e.awaiting, ledger.Drain{Host: h.Host, By: h.By, State: ledger.DrainRefused, Why: "no host would be left to the run"})
		}
	}
	for _, h := range e.drained {
		if !r.leaves(o, h) {
			e.awaiting = append(e.awaiting, ledger.Drain{Host: h.Host, By: h.By, Undo: true, State: ledger.DrainDone})
		}
	}
	e.drained = empty
}

// leaves reports whether a host is among those that are left for someone outside.
func (r *rank) leaves(o balance.Outside, h DrainedHost) bool {
	return slices.ContainsFunc(o.Ranks, func(rank int) bool { return r.hosts[rank] == h.Host })
}

// answerDrains says on rank 0 what a call has made of what it was asked for, when its moves
// are done.
func (r *rank) answerDrains(d *balance.Decided) {
	for _, a := range r.emptied.awaiting {
		a.Step, a.At = r.step-1, r.clock.Now().Seconds()
		if a.State == ledger.DrainDone && !a.Undo {
			for _, m := range d.Moves {
				if r.hosts[m.From] == a.Host && r.hosts[m.To] != a.Host {
					a.Left++
				}
			}
			for pid, rank := range r.where {
				if r.hosts[rank] == a.Host {
					if a.Stay++; a.Why == "" {
						a.Why = ruleFor(pid, d.Verdicts)
					}
				}
			}
		}
		r.account.Drained(&a)
	}
	r.emptied.awaiting = nil
}
