package bsplib

import (
	"errors"
	"slices"

	"github.com/migbsp/migbsp/bsplib/internal/process"
)

// Place is where a process can ask to go: see Migrate.
type Place struct{ at process.Place }

// OnRank is a rank.
func OnRank(rank int) Place { return Place{process.Place{Kind: process.OnRank, Number: rank}} }

// OnHost is a host by its name: of its ranks the one with the fewest processes.
func OnHost(name string) Place { return Place{process.Place{Kind: process.OnHost, Host: name}} }

// NextTo is the rank where process pid is when the stage ends.
func NextTo(pid int) Place { return Place{process.Place{Kind: process.NextTo, Number: pid}} }

// Migrate asks that this process go to a place when the current stage ends
// (jMigBSP's bsp_migrate). If it does not fit there it stays, and then
// MigrateError says why. The last call before the end of a stage counts.
//
// Errors: a rank, process or host that does not exist ends the run.
//
// BSP cost: a rescheduling call at the end of the stage and, if it moves, the
// bytes of its state.
func (p *Proc) Migrate(place Place) {
	to := place.at
	switch {
	case to.Kind == process.Nowhere:
		p.fail(KindNoSuchPlace, "Migrate to the zero Place")
	case to.Kind == process.OnRank && (to.Number < 0 || to.Number >= p.NRanks()):
		p.fail(KindNoSuchPlace, "Migrate to rank %d; there are ranks 0 to %d", to.Number, p.NRanks()-1)
	case to.Kind == process.NextTo && (to.Number < 0 || to.Number >= p.process.N):
		p.fail(KindNoSuchPlace, "Migrate next to process %d; there are processes 0 to %d", to.Number, p.process.N-1)
	case to.Kind == process.OnHost && !slices.Contains(p.process.Rank.Cluster.Hosts, to.Host):
		hosts := slices.Compact(slices.Sorted(slices.Values(p.process.Rank.Cluster.Hosts)))
		p.fail(KindNoSuchPlace, "Migrate to host %q; the run is on %q", to.Host, hosts)
	}
	q := p.process.Asking()
	q.To, q.Refused = to, ""
}

// MigrateError says why the last Migrate was not honoured; nil if it was, or if
// the stage has not ended yet.
func (p *Proc) MigrateError() error {
	if why := p.process.Request.Why(); why != "" {
		return errors.New(why)
	}
	return nil
}

// Pin keeps the process on its rank: no call moves it, and what it asks for with Migrate is
// refused, until Unpin. It is for a process that holds what does not move: an open file, a
// device, a connection. When a run goes on from a checkpoint processes are not pinned.
func (p *Proc) Pin() { p.process.Pinned = true }

// Unpin lets the process move again.
func (p *Proc) Unpin() { p.process.Pinned = false }

// Arrived returns the rank from which the process has just come, and true, from when a move
// has entered its program anew until the end of its first stage here; else false. It is where
// a program opens again what it could not take along.
func (p *Proc) Arrived() (from int, just bool) {
	return int(p.process.CameFrom) - 1, p.process.CameFrom > 0
}

// Drain asks that all processes leave a rank when the current stage ends, and
// that none comes there any more. One process's call is enough.
//
// Errors: a rank that does not exist ends the run, and so does draining all.
func (p *Proc) Drain(rank int) {
	if rank < 0 || rank >= p.NRanks() {
		p.fail(KindNoSuchPlace, "Drain rank %d; there are ranks 0 to %d", rank, p.NRanks()-1)
	}
	q := p.process.Asking()
	q.Drain = append(q.Drain, rank)
}
