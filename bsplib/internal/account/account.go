// Package account measures the supersteps of a run and brings what all ranks have
// measured to rank 0, which keeps the account: a ledger.Account, and through it the
// run's record.
//
// Each rank writes down a measured for every superstep and sends them in batches, so that a
// superstep costs a few loads and stores. Rank 0 makes entries of them (lead.go). All ranks
// send at the same barrier: when a batch is full, or when rank 0 says at a barrier that the
// last one was long ago (Due). Where a record is written each batch has the loads too: what
// each process did in a window of supersteps (package loads).
//
// Work is elapsed time: what the barrier waits for. What of it the rank ran is known beside
// it, and on this machine why it did not (package capacity).
//
// Ranks without processes may take no part in supersteps. While rank 0 is one of them, the
// first rank that is not stands in for it: it says when batches are sent.
//
// Invariants: all ranks that take part have the same supersteps in a batch, and who takes part
// changes between two batches only (Regroup); rank 0 enters supersteps, calls, windows and
// warnings in the order in which they happened, for callers Ship before they enter something
// that is not a superstep.
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

// Settings are what an Account works with.
type Settings struct {
	Control  *control.Channel
	Clock    clock.Clock
	Kept     bool                    // this rank measures; all ranks agree
	Book     *ledger.Account         // that rank 0 keeps, nil on the others
	Log      io.Writer               // receives progress lines on rank 0, unless it is nil; a progress.Screen shows them in place
	Loads    loads.Settings          // for where a record is written
	Position func() ledger.Progress  // Loop, Stage and Stages of this rank's first process
	SiteName func(pc uintptr) string // file:line of a return address
	// Machine is asked what it gives to the rank; nil if that is not known or no matter.
	// Together is true where rank 0 asks for all ranks, which are in its process.
	Machine  func() capacity.Look
	Together bool
	// Brought says how many seconds more the supersteps so far would have taken without moves,
	// and how far off that may be. All ranks ask it after the last superstep; it is known on
	// rank 0, if something has moved.
	Brought func() (seconds, doubt float64, known bool, err error)
}

// Account is one rank's part in the account of a run.
type Account struct {
	settings Settings
	batch    []measured       // the last is of the superstep that is open
	seen     time.Duration    // this machine's time when a process last ended its work
	loads    *loads.Recorder  // nil unless a record is written
	looker   *capacity.Looker // nil unless the machine is asked
	notes    []string         // warnings to be shipped
	leader   int              // the first rank that takes part
	due      time.Duration    // when the next batch is to go
	lead     lead             // on rank 0
}

// measured is what one rank knows of one superstep.
type measured struct {
	begun         time.Duration
	work, cpu     time.Duration // elapsed, and the part in which the rank ran
	worst         time.Duration // CPU time of the process with most
	slowest       time.Duration // elapsed time of the slowest process
	barrier, took time.Duration
	ways          [ledger.Ways]int64 // bytes by way: larger of sent and received
	h             int64              // bytes: largest of max(sent, received) of its processes
	slow          int64              // pid of the slowest process, -1 without processes
	site          int64              // where it ended, from anchor; 0 if no process here has called a Sync
}

// shipment is what a rank sends to rank 0 of the supersteps since the last one.
type shipment struct {
	Batch wire.Raw[measured]
	Loads loads.Shipment
	Looks wire.Raw[capacity.Look] // one at most
	Notes []string                // warnings

	rest loads.Shipment `wire:"-"` // what rank 0 has not yet entered of Loads
}

const (
	// batchSteps bounds what waits on each rank: a batch of 256 is 28 KiB, and sending it
	// costs a barrier, so that a superstep's share of it is below 1 % of a barrier.
	batchSteps = 256
	// orphanedSteps takes its place while rank 0 is away, for sending a batch wakes it and all
	// others that are. A batch takes 7 MiB then.
	orphanedSteps = 1 << 16
	// shipEvery is how long rank 0 lets a batch wait: live views are half a second late
	// at most. Where sending takes more than one part in shipShare of the time it waits
	// longer, up to shipLate.
	shipEvery = 500 * time.Millisecond
	shipLate  = 5 * time.Second
	shipShare = 200
)

// New makes a rank's account; nothing is kept before Open.
func New(s Settings) *Account {
	return &Account{settings: s, batch: []measured{{slow: -1}}, due: shipEvery}
}

// Kept reports whether ranks measure for the account.
func (a *Account) Kept() bool { return a.settings.Kept }

// open is the superstep that is open. What is measured of it is written where it stays: it is
// part of every superstep, and a copy waits for the stores of what it copies.
func (a *Account) open() *measured { return &a.batch[len(a.batch)-1] }

// Begin begins a superstep.
func (a *Account) Begin(now, wall time.Duration) { a.open().begun, a.seen = now, wall }

// Worked ends the work of a process.
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

// Work is the work of this rank's processes in the superstep, so far.
func (a *Account) Work() time.Duration { return a.open().cpu }

// NeedsTraffic reports whether the coming superstep's traffic is to be recorded.
func (a *Account) NeedsTraffic() bool { return a.loads.NeedsTraffic() }

// Close ends the superstep, at the given place of the program (0 if none is known),
// and makes the samples ready for the next. recorded says whether they have traffic. ways is the larger
// of the bytes that have left the rank and reached it, by the way that they went, nil if that is not known.
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

// Due reports whether this rank wants to ship at the coming barrier: much waits, or rank 0, or
// its stand-in, finds that the batch has waited long enough.
func (a *Account) Due() bool {
	s := &a.settings
	return s.Kept && a.seen > a.due && (s.Book != nil || a.leader == s.Control.Comm().Rank()) || a.loads.Heavy()
}

// Full reports whether no superstep more goes into the batch: on all ranks at once.
func (a *Account) Full() bool {
	limit := batchSteps
	if a.leader > 0 {
		limit = orphanedSteps
	}
	return len(a.batch) > limit
}

// Regroup tells that other ranks take part from the superstep on that comes next: of those
// that do, leader is the first. All ranks call it.
//
// BSP cost: as Ship.
func (a *Account) Regroup(step, leader int) error {
	a.loads.Close(step)
	err := a.Ship(step)
	a.leader = leader
	return err
}

// Ship brings all ranks' batches to rank 0, which enters them. All ranks call it
// after the same superstep.
//
// BSP cost: l, and g for the batches of all ranks.
func (a *Account) Ship(step int) error { return a.ship(step, false) }

// ship is Ship; last says that it is the last shipment of the run. Its flags are how wide windows of loads
// are to be, which rank 0 says.
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
