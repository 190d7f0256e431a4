package bsplib

import (
	"errors"
	"math"
	"slices"

	"github.com/migbsp/migbsp/bsplib/internal/process"
)

// Place is a destination for Migrate.
type Place struct{ at process.Place }

// OnRank returns the Place of a rank.
func OnRank(rank int) Place { return Place{process.Place{Kind: process.OnRank, Number: rank}} }

// OnHost returns the Place of a host, by its name: its rank with the fewest processes.
func OnHost(name string) Place { return Place{process.Place{Kind: process.OnHost, Host: name}} }

// NextTo returns the Place of process pid: its rank when the stage ends.
func NextTo(pid int) Place { return Place{process.Place{Kind: process.NextTo, Number: pid}} }

// Migrate requests a move of this process at the end of the current stage
// (jMigBSP's bsp_migrate). If the process does not fit at its destination it
// stays, and MigrateError returns the reason. The last call before the end of
// a stage counts.
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
	case to.Kind == process.NextTo && (to.Number < 0 || to.Number >= p.NProcs()):
		p.fail(KindNoSuchPlace, "Migrate next to process %d; there are processes 0 to %d", to.Number, p.NProcs()-1)
	case to.Kind == process.OnHost && !slices.Contains(p.process.Rank.Cluster.Hosts, to.Host):
		hosts := slices.Compact(slices.Sorted(slices.Values(p.process.Rank.Cluster.Hosts)))
		p.fail(KindNoSuchPlace, "Migrate to host %q; the run is on %q", to.Host, hosts)
	}
	q := p.process.Asking()
	q.To, q.Refused = to, ""
}

// MigrateError returns the reason why the last Migrate was not honoured. It
// returns nil if it was honoured or if the stage has not ended yet.
func (p *Proc) MigrateError() error {
	if why := p.process.Request.Why(); why != "" {
		return errors.New(why)
	}
	return nil
}

// Load declares the load of this process in the coming stage: the next one if it is in a
// stage, else the first. x counts the items that the work grows with, in a unit that is the
// same for all processes and stages: cells, particles, rows. It holds until the next call, on
// any rank and after a restart.
//
// Rescheduling uses x if x has predicted the work in this run better than the work of earlier
// stages has. This helps programs whose processes can foresee a change of their load.
//
// Errors: a negative, infinite or NaN x ends the run.
//
// BSP cost: none.
func (p *Proc) Load(x float64) {
	if !(x >= 0) || math.IsInf(x, 1) {
		p.fail(KindBadLoad, "Load(%v); a load is a number from 0 on", x)
	}
	p.process.Load = max(x, leastLoad)
}

// leastLoad replaces a load of 0, because a process without work differs from a process that declares no load.
const leastLoad = math.SmallestNonzeroFloat32
