package bsplib

import (
	"errors"
	"fmt"
	"slices"

	"github.com/migbsp/migbsp/rebalancer"
)

// Place is where a process can ask to go: see Migrate.
type Place struct {
	kind   placeKind
	number int
	host   string
}

type placeKind uint8

const (
	nowhere placeKind = iota
	onRank
	onHost
	nextTo
)

// OnRank is a rank.
func OnRank(rank int) Place { return Place{kind: onRank, number: rank} }

// OnHost is a host by its name: of its ranks the one with the fewest processes.
func OnHost(name string) Place { return Place{kind: onHost, host: name} }

// NextTo is the rank where process pid is when the stage ends.
func NextTo(pid int) Place { return Place{kind: nextTo, number: pid} }

// placementRequest is what a process has asked for and what became of it.
type placementRequest struct {
	to      Place
	drain   []int
	refused string // why the last one was not honoured, "" if it was
	denied  bool   // the last one was not, and another may have been made since
}

// Migrate asks that this process go to a place when the current stage ends
// (jMigBSP's bsp_migrate). If it does not fit there it stays, and then
// MigrateError says why. The last call before the end of a stage counts.
//
// Errors: a rank, process or host that does not exist ends the run.
//
// BSP cost: a rescheduling call at the end of the stage and, if it moves, the
// bytes of its state.
func (p *Proc) Migrate(to Place) {
	switch {
	case to.kind == nowhere:
		p.fail(KindNoSuchPlace, "Migrate to the zero Place")
	case to.kind == onRank && (to.number < 0 || to.number >= p.NRanks()):
		p.fail(KindNoSuchPlace, "Migrate to rank %d; there are ranks 0 to %d", to.number, p.NRanks()-1)
	case to.kind == nextTo && (to.number < 0 || to.number >= p.n):
		p.fail(KindNoSuchPlace, "Migrate next to process %d; there are processes 0 to %d", to.number, p.n-1)
	case to.kind == onHost && !slices.Contains(p.rank.cluster.Hosts, to.host):
		hosts := slices.Compact(slices.Sorted(slices.Values(p.rank.cluster.Hosts)))
		p.fail(KindNoSuchPlace, "Migrate to host %q; the run is on %q", to.host, hosts)
	}
	p.asking().to, p.request.refused = to, ""
}

// asking is the process's request, made if there is none.
func (p *Proc) asking() *placementRequest {
	if p.request == nil {
		p.request = new(placementRequest)
	}
	return p.request
}

// MigrateError says why the last Migrate was not honoured; nil if it was, or if
// the stage has not ended yet.
func (p *Proc) MigrateError() error {
	if why := p.request.why(); why != "" {
		return errors.New(why)
	}
	return nil
}

// Pin keeps the process on its rank: no call moves it, and what it asks for with Migrate is
// refused, until Unpin. It is for a process that holds what does not move: an open file, a
// device, a connection. When a run goes on from a checkpoint processes are not pinned.
func (p *Proc) Pin() { p.pinned = true }

// Unpin lets the process move again.
func (p *Proc) Unpin() { p.pinned = false }

// Arrived returns the rank from which the process has just come, and true, from when a move
// has entered its program anew until the end of its first stage here; else false. It is where
// a program opens again what it could not take along.
func (p *Proc) Arrived() (from int, just bool) { return int(p.cameFrom) - 1, p.cameFrom > 0 }

// Drain asks that all processes leave a rank when the current stage ends, and
// that none comes there any more. One process's call is enough.
//
// Errors: a rank that does not exist ends the run, and so does draining all.
func (p *Proc) Drain(rank int) {
	if rank < 0 || rank >= p.NRanks() {
		p.fail(KindNoSuchPlace, "Drain rank %d; there are ranks 0 to %d", rank, p.NRanks()-1)
	}
	q := p.asking()
	q.drain = append(q.drain, rank)
}

// asks reports whether the process wants something of the next call.
func (q *placementRequest) asks() bool {
	return q != nil && (q.to.kind != nowhere || len(q.drain) > 0)
}

// why says why the last request was not honoured, "" if it was.
func (q *placementRequest) why() string {
	if q == nil {
		return ""
	}
	return q.refused
}

// requestedRank is the rank that the process wants to be on, -1 if none.
func (r *rank) requestedRank(p *Proc) int {
	if p.request == nil {
		return -1
	}
	to := p.request.to
	switch to.kind {
	case onRank:
		return to.number
	case nextTo:
		return int(r.where[to.number])
	case onHost:
		return r.cluster.Emptiest(to.host, r.where)
	}
	return -1
}

// answerRequests tells this rank's processes what a call has made of their requests,
// before those that move leave.
func (r *rank) answerRequests(d *rebalancer.Decision) {
	for _, p := range r.crew.procs {
		if p.request == nil {
			continue
		}
		if to := p.request.to; to.kind != nowhere {
			p.request.refused, p.request.denied = "", false
			if is := destination(p.pid, r.comm.Rank(), d.Moves); is != r.requestedRank(p) {
				p.request.denied = true
				p.request.refused = fmt.Sprintf("process %d %s %d: %s", p.pid, staysOrGoes(is == r.comm.Rank()), is, ruleFor(p.pid, d.Verdicts))
			}
		}
		p.request.to, p.request.drain = Place{}, nil
	}
}

// destination is the rank that a process on the given one is on after moves.
func destination(pid, rank int, moves []rebalancer.Move) int {
	for _, m := range moves {
		if m.Pid == pid {
			return m.To
		}
	}
	return rank
}

func staysOrGoes(stays bool) string {
	if stays {
		return "stays on rank"
	}
	return "goes to rank"
}

// ruleFor is the rule by which a decision has placed a process.
func ruleFor(pid int, verdicts []rebalancer.Verdict) string {
	for _, v := range verdicts {
		if v.Pid == pid {
			return v.Rule
		}
	}
	return ""
}
