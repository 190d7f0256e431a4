// Package account measures the supersteps of a run and collects the measurements of all
// ranks on rank 0, which keeps the account: a ledger.Account, and through it the run's
// record.
//
// Each rank stores a measured for every superstep and sends them in batches, so that a
// superstep costs a few loads and stores. Rank 0 converts them to entries (lead.go). All
// ranks send at the same barrier: when a batch is full, or when rank 0 requests it because
// the last batch is too old (Due). If a record is written, each batch includes the loads:
// the work and traffic of each process in a window of supersteps (package loads).
//
// Work is elapsed time, because the barrier waits for it. The CPU time is measured too and,
// unless the clock is emulated, the reasons for the difference (package capacity).
//
// Ranks without processes may skip supersteps. While rank 0 does, the first participating
// rank decides when batches are sent.
//
// Invariants: all participating ranks have the same supersteps in a batch, and the set of
// participants changes only between two batches (Regroup). Rank 0 enters supersteps, calls,
// windows and warnings in chronological order, because callers Ship before they enter
// anything but a superstep.
package account

import (
	"io"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account/capacity"
	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/internal/wire"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
)

// Settings configures an Account.
type Settings struct {
	Control  *control.Channel
	Clock    clock.Clock
	Kept     bool                    // this rank measures; all ranks agree
	Book     *ledger.Account         // kept by rank 0, nil on other ranks
	Log      io.Writer               // receives progress on rank 0, unless nil; may be a progress.Screen
	Loads    loads.Settings          // used if a record is written
	Position func() ledger.Progress  // Loop, Stage and Stages of this rank's first process
	SiteName func(pc uintptr) string // file:line of a return address
	// Machine returns the capacity granted to the rank; nil if unknown or not needed. Together
	// is true if all ranks share one process and rank 0 calls Machine for all of them.
	Machine  func() capacity.Look
	Together bool
	// Brought estimates the seconds saved by moves, and the error of the estimate. All ranks call
	// it after the last superstep. It is known only on rank 0, and only if a process has moved.
	Brought func() (seconds, doubt float64, known bool, err error)
}

// Account is one rank's part in the account of a run.
type Account struct {
	settings Settings
	batch    []measured       // the last element is the open superstep
	seen     time.Duration    // wall time when a process last ended its work
	loads    *loads.Recorder  // nil unless a record is written
	looker   *capacity.Looker // nil if capacity is not measured
	notes    []string         // warnings not yet shipped
	leader   int              // the first participating rank
	due      time.Duration    // wall time after which the next batch is shipped
	lead     lead             // on rank 0
}

// measured holds one rank's measurements of one superstep.
type measured struct {
	begun         time.Duration
	work, cpu     time.Duration // elapsed time and CPU time
	worst         time.Duration // largest CPU time of a process
	slowest       time.Duration // elapsed time of the slowest process
	barrier, took time.Duration
	ways          [ledger.Ways]int64 // bytes by transport: larger of sent and received
	h             int64              // bytes: largest of max(sent, received) of its processes
	slow          int64              // pid of the slowest process, -1 without processes
	site          int64              // of the Sync that ended it, relative to anchor; 0 if unknown
}

// shipment is a rank's message to rank 0 about the supersteps since the last shipment.
type shipment struct {
	Batch wire.Raw[measured]
	Loads loads.Shipment
	Looks wire.Raw[capacity.Look] // at most one
	Notes []string                // warnings

	rest loads.Shipment `wire:"-"` // part of Loads that rank 0 has not yet entered
}

const (
	// batchSteps is the maximum number of supersteps in a batch. A batch of 256 takes
	// 28 KiB; sending it costs a barrier, less than 1 % of a barrier per superstep.
	batchSteps = 256
	// orphanedSteps replaces batchSteps while rank 0 does not participate, because sending a
	// batch wakes all idle ranks. Such a batch takes up to 7 MiB.
	orphanedSteps = 1 << 16
	// shipEvery is the time between batches, so that live views lag by at most half a
	// second. It is extended up to shipLate to keep the time for sending below 1/shipShare
	// of the run.
	shipEvery = 500 * time.Millisecond
	shipLate  = 5 * time.Second
	shipShare = 200
)

// New returns a rank's account. Call Open before the first superstep.
func New(s Settings) *Account {
	return &Account{settings: s, batch: []measured{{slow: -1}}, due: shipEvery}
}

// Kept reports whether ranks measure for the account.
func (a *Account) Kept() bool { return a.settings.Kept }

// open returns a pointer to the open superstep, because copying it would stall on recent
// stores in every superstep.
func (a *Account) open() *measured { return &a.batch[len(a.batch)-1] }

// Begin begins a superstep.
func (a *Account) Begin(now, wall time.Duration) { a.open().begun, a.seen = now, wall }

// Worked adds the work of a process that has finished its part of the superstep.
func (a *Account) Worked(s *loads.Sample, wall time.Duration) {
	a.seen = wall
	m := a.open()
	ran, span := s.Work-s.Waited, max(s.Span, s.Work, 0)
	m.cpu += ran
	m.work += span
	m.worst = max(m.worst, ran)
	if span > m.slowest || m.slow < 0 {
		m.slowest, m.slow = span, int64(s.Pid)
	}
}

// Work returns the CPU time of this rank's processes in the open superstep.
func (a *Account) Work() time.Duration { return a.open().cpu }

// NeedsTraffic reports whether the coming superstep's traffic must be recorded.
func (a *Account) NeedsTraffic() bool { return a.loads.NeedsTraffic() }

// Close ends the superstep at site, a return address in the program or 0 if unknown, and
// resets the samples for the next superstep. recorded reports whether the samples include
// traffic. ways is the larger of the rank's sent and received bytes by transport, or nil
// if unknown.
func (a *Account) Close(step int, site uintptr, end clock.Superstep, samples []*loads.Sample, recorded bool, ways *[ledger.Ways]int64) {
	m := a.open()
	if !a.settings.Kept {
		*m = measured{slow: -1}
		return
	}
	m.took, m.barrier = end.Took, end.Barrier
	if ways != nil {
		for way := range m.ways { // a copy of the array takes longer
			m.ways[way] = ways[way]
		}
	}
	if site != 0 {
		m.site = SiteOf(site)
	}
	for _, s := range samples {
		m.h = max(m.h, int64(s.Sent), int64(s.Received))
		s.Sent, s.Received = 0, 0
	}
	if a.loads != nil {
		a.loads.Take(step, m.site, samples, recorded)
	}
	a.batch = append(a.batch, measured{slow: -1})
}

// Due reports whether this rank requests a shipment at the coming barrier: its loads take
// much memory, or it is rank 0, or the rank that replaces it, and the next batch is due.
func (a *Account) Due() bool {
	s := &a.settings
	return s.Kept && a.seen > a.due && (s.Book != nil || a.leader == s.Control.Comm().Rank()) || a.loads.Heavy()
}

// Full reports whether the batch is full, which happens on all ranks at once.
func (a *Account) Full() bool {
	limit := batchSteps
	if a.leader > 0 {
		limit = orphanedSteps
	}
	return len(a.batch) > limit
}

// Regroup ships the batch before the set of participating ranks changes with the next
// superstep. leader is the first participating rank. All ranks call it.
//
// BSP cost: as Ship.
func (a *Account) Regroup(step, leader int) error {
	a.loads.Close(step)
	err := a.Ship(step)
	a.leader = leader
	return err
}

// Ship sends all ranks' batches to rank 0, which enters them. All ranks call it after the
// same superstep.
//
// BSP cost: l, and g for the batches of all ranks.
func (a *Account) Ship(step int) error { return a.ship(step, false) }

// ship implements Ship; last is true for the last shipment of the run. Rank 0 passes the
// width of the next windows of loads in the flags.
func (a *Account) ship(step int, last bool) error {
	if !a.settings.Kept {
		return nil
	}
	a.settings.Clock.Interrupt()
	begun := a.settings.Clock.Wall()
	mine := shipment{Batch: a.batch[:len(a.batch)-1], Loads: a.loads.Ship(step), Notes: a.notes}
	if a.looker != nil {
		mine.Looks = a.looker.Look(a.settings.Clock.Wall, last)
	}
	width := 0
	if a.settings.Book != nil && a.loads != nil {
		width = max(a.settings.Loads.Least, a.settings.Book.Recorder.LoadWidth())
	}
	all, flags, err := control.GatherWith(a.settings.Control, 0, &mine, a.lead.shipments, mpi.Flags(width))
	if err != nil {
		return err
	}
	a.lead.shipments = all
	a.loads.Shipped(int(flags))
	a.notes = nil
	a.due = a.seen + max(shipEvery, min(shipLate, (a.settings.Clock.Wall()-begun)*shipShare))
	if a.settings.Book != nil {
		a.enterBatch(step)
		a.tellProgress(step)
	}
	a.batch = append(a.batch[:0], measured{slow: -1})
	return nil
}
