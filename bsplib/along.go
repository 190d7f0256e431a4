package bsplib

import (
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// This file moves processes that ask for it along with the call that decides about them:
//
//   - Their images go with the reports. States are on their way from then on, while managers
//     decide.
//   - The exchange in which managers tell their decision also makes known where the areas of
//     those are that have arrived, and what left: digests and histories.
//   - If all moves of the call are such ones, and all ranks could bring theirs, that was all
//     (mover.brought). Otherwise what has arrived is dropped, and migrate makes the moves of the
//     call with exchanges of their own.
//
// So such a move takes no exchange more than a call that moves nothing.
//
// Invariants: until all ranks know the decision a process is where it was, and nobody sees what
// has arrived of it. All ranks agree on whether processes were brought, for each says in the
// exchange of the decision if one of its own was not (flagStays).
//
// What is brought and refused was brought in vain. So larger states than mostAlong wait for the
// decision, and so does a process whose last request was refused.

// mostAlong is what a state may have to go along: beside a larger one an exchange is short.
const mostAlong = 64 << 20

// flagStays says, in the exchange of the decision, that a process that asks to move was not
// brought.
const flagStays mpi.Flags = 1

// along is the rank as balance.Along.
type along struct{ *rank }

var _ balance.Along = along{}

// announce packs the processes that ask to move, for the exchange of reports.
func (r *rank) announce() {
	for _, p := range r.residents.procs {
		to := r.requestedRank(p)
		if to < 0 || to == r.comm.Rank() || p.pinned {
			continue
		}
		if p.request.denied || !r.balance.DecidesForAll() || p.stateBytes() > mostAlong {
			r.mover.stays = true
			continue
		}
		d, x := p.departTo(to)
		if d.err == nil && r.reaches(&d) {
			for _, s := range d.image.Spans {
				x.Lengths = append(x.Lengths, len(s))
			}
			d.err = control.Attach(r.channels.calls, to, x)
		} else {
			r.mover.stays = true
		}
		if r.mover.departures = append(r.mover.departures, d); d.err != nil {
			r.mover.stays = true
		}
	}
}

// reaches reports whether the state's large parts get to their new rank without a rank that
// sends them in pieces.
func (r *rank) reaches(d *departure) bool {
	return r.movesByRun(d.to) || !slices.Contains(d.refs, 0)
}

// Reported begins to bring the processes that were announced.
func (a along) Reported() error {
	r := a.rank
	err := control.Attached(r.channels.calls, func(from int, x *processImage) error {
		if r.receive(from, x) == nil {
			return nil
		}
		r.mover.stays = true // if it is to move, migrate comes to the same error
		if r.movesByRun(from) {
			r.mover.arrivals = append(r.mover.arrivals, aside(from, x.Lengths))
		}
		return nil
	})
	r.startRuns()
	return err
}

// aside takes the runs of a process that there is no place for.
func aside(from int, lengths []int) arrival {
	a := arrival{from: from, refs: make([]mpi.Ref, len(lengths)), sums: make([]uint64, len(lengths))}
	for _, n := range lengths {
		a.spans = append(a.spans, make([]byte, n))
	}
	return a
}

// Telling ends that, and tells what has come of it.
func (a along) Telling() (mpi.Flags, error) {
	r := a.rank
	r.mover.began = r.timing.clock.Now()
	if err := r.transferSpans(nil); err != nil && err.Kind != KindUnmovable {
		return 0, err
	} else if err != nil {
		r.mover.stays = true
	}
	if r.mover.stays {
		return flagStays, nil
	}
	tell := func(to int, x *relocation) error { return control.Attach(r.channels.calls, to, x) }
	var history func(pid int) ([]byte, error)
	if r.balance != nil {
		history = r.balance.History
	}
	if err := r.publishAreas(tell, history); err != nil {
		return 0, err
	}
	return 0, nil
}

// Told hears what has come of it on other ranks.
func (a along) Told(all mpi.Flags) error {
	r := a.rank
	r.mover.stays = r.mover.stays || all&flagStays != 0
	err := control.Attached(r.channels.calls, r.hear)
	r.mover.took = r.timing.clock.Now() - r.mover.began
	return err
}

// Decided makes the moves those of the call, if it has no others. What goes is given up here
// and what comes taken in before the decision is adopted, for histories are as before it.
func (a along) Decided(d *balance.Decided) error {
	r := a.rank
	if r.mover.stays || !d.Wished || len(d.Moves) == 0 {
		return nil
	}
	r.mover.brought = true
	r.dropUnless(d.Moves)
	for _, x := range r.mover.departures {
		if _, err := r.balance.Depart(x.proc.pid); err != nil {
			return err
		}
	}
	if err := r.compareArrivals(); err != nil {
		return err
	}
	return nil
}

// drop ends what was announced, and forgets what ranks have told of it.
func (r *rank) drop() {
	r.dropUnless(nil)
	r.mover = mover{}
}

// dropUnless ends what was announced but for the processes that move.
func (r *rank) dropUnless(moves []rebalancer.Move) {
	goes := func(p *Proc) bool {
		return p != nil && slices.ContainsFunc(moves, func(m rebalancer.Move) bool { return m.Pid == p.pid })
	}
	r.mover.departures = slices.DeleteFunc(r.mover.departures, func(d departure) bool {
		if !goes(d.proc) {
			r.withdraw(&d)
			return true
		}
		return false
	})
	r.mover.arrivals = slices.DeleteFunc(r.mover.arrivals, func(a arrival) bool {
		if goes(a.proc) {
			return false
		}
		if a.proc != nil {
			a.proc.releaseAreas()
		}
		return true
	})
}

// bringing is how long it took to bring processes, and to tell of them, once their managers had
// decided; 0 if the call has moved none so.
func (r *rank) bringing() time.Duration {
	if !r.mover.brought {
		return 0
	}
	return r.mover.took
}
