// Package account measures the supersteps of a run and brings what all ranks have
// measured to rank 0, which keeps the account: a ledger.Account, and through it the
// run's record.
//
// Each rank writes down a measured for every superstep and sends them in batches,
// so that a superstep costs a few loads and stores. Rank 0 makes entries of them (lead.go). All ranks send at the same
// barrier: when a batch is full, or when rank 0 says at a barrier that the last one
// was long ago (Due). Where a record is written the batch is followed by the loads,
// what each process did in a window of supersteps (loads.go).
//
// Work is elapsed time: what the barrier waits for. What of it the rank ran is known beside
// it, and on this machine why it did not (capacity.go).
//
// Ranks without processes may take no part in supersteps. While rank 0 is one of them, the
// first rank that is not stands in for it: it keeps what rank 0 would, until all meet.
//
// Invariants: all ranks that take part have the same batches, and who does changes between
// two batches only (Regroup); rank 0 enters supersteps, calls,
// windows and warnings in the order in which they happened, for callers Ship before
// they enter something that is not a superstep.
package account

import (
	"io"
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/internal/wire"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

// Sample is what a process did in a superstep. The process's rank fills it in and
// Close reads it.
type Sample struct {
	Pid            int
	Sent, Received int           // bytes since the last Close, where an account is kept
	Work           time.Duration // in which it ran
	Span           time.Duration // the same with the time in which it was not granted a core
	Aside          time.Duration // the part of Span that says nothing of what comes
	Load           float64       // what the program has said of the load of this stage, 0 if nothing
	Traffic        []rebalancer.Traffic
}

// Record notes bytes that came from process src, where traffic is recorded.
func (s *Sample) Record(src, bytes int) {
	if n := len(s.Traffic); n > 0 && s.Traffic[n-1].Pid == src {
		s.Traffic[n-1].Bytes += int64(bytes)
		return
	}
	s.Traffic = append(s.Traffic, rebalancer.Traffic{Pid: src, Bytes: int64(bytes)})
}

// Settings are what an Account works with.
type Settings struct {
	Procs   int
	Rank    int
	Control *control.Channel
	Clock   clock.Clock
	Speed   float64 // of this rank, 1 where it is not known
	// Kept makes this rank measure; all ranks agree.
	Kept bool
	// Book is what rank 0 keeps, nil on the others.
	Book *ledger.Account
	// Log receives progress lines on rank 0, unless it is nil; a Screen shows them in place.
	Log io.Writer
	// StateBytes is what a move of a process would transfer now, -1 if it has left this
	// rank.
	StateBytes func(pid int) int64
	// Position is how far this rank's first process is in its stage loops.
	Position func() Position
	// SiteName is file:line of a return address.
	SiteName func(pc uintptr) string
	// Present reports whether a rank takes part; all do where it is nil.
	Present func(rank int) bool
	// Machine is asked what it gives to the rank; nil if that is not known or no matter.
	// Together is true where rank 0 asks for all ranks, which are in its process.
	Machine  Machine
	Together bool
	// Brought says how many seconds more the supersteps so far would have taken without moves,
	// and how far off that may be. All ranks ask it after the last superstep; it is known on
	// rank 0, if something has moved.
	Brought func() (seconds, doubt float64, known bool, err error)
	// LeastWindow is the least width of the windows of loads, for tests.
	LeastWindow int
}

// Screen is a Log that shows a line in place of the one before.
type Screen interface {
	io.Writer
	Show(text string)
	Erase()
}

// Machine says what a rank gets of this machine.
type Machine interface {
	// Contention is what has kept the rank from running, counted from some moment on.
	Contention() probe.Contention
	// Quota is the part of a core that the rank may use.
	Quota() float64
	// Cores is how many all ranks of the node may use together.
	Cores() float64
}

// Account is one rank's part in the account of a run.
type Account struct {
	settings Settings
	work     time.Duration // of all processes in this superstep
	span     time.Duration // from its begin to the end of their work

	begun  time.Duration // when this superstep began
	seen   time.Duration // this machine's time when a process last ended its work
	worst  time.Duration // work of the process with most
	slow   int           // pid of the slowest process, -1 for none yet
	waits  time.Duration // span of that
	ways   [ledger.Ways]int64
	batch  []measured
	looker looker
	looks  []look
	loads  loadRecorder
	untold bool // rank 0 is to tell its orders again: not all have heard them

	orphaned bool          // rank 0 takes no part
	standIn  bool          // and this rank stands in for it
	steps    []moment      // of the batch: on rank 0, or its stand-in
	shipped  time.Duration // when the last batch went
	took     time.Duration // to ship it

	lead lead // on rank 0
}

// moment is which superstep it was, and when it began.
type moment struct {
	number int64
	begun  time.Duration
}

// measured is what one rank knows of one superstep.
type measured struct {
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
	Loads wire.Raw[uint64]
	Steps wire.Raw[moment] // from who stands in for rank 0
	Ends  wire.Raw[int64]  // of windows, likewise
	Looks wire.Raw[look]   // one at most
}

// batchSteps bounds what waits on each rank: a batch of 256 is 26 KiB, and sending it
// costs a barrier, so that a superstep's share of it is below 1 % of a barrier.
const batchSteps = 256

// orphanedSteps takes its place while rank 0 is away, for sending a batch wakes it and all
// others that are. A batch takes 4 MiB then.
const orphanedSteps = 1 << 16

// shipEvery is how long rank 0 lets a batch wait: live views are half a second late
// at most. Where sending takes more than one part in shipShare of the time it waits
// longer, up to shipLate.
const (
	shipEvery = 500 * time.Millisecond
	shipLate  = 5 * time.Second
	shipShare = 200
)

// New makes a rank's account; nothing is kept before Open.
func New(s Settings) *Account { return &Account{settings: s, slow: -1} }

// Kept reports whether ranks measure for the account.
func (a *Account) Kept() bool { return a.settings.Kept }

// Begin begins a superstep.
func (a *Account) Begin(now, wall time.Duration) { a.begun, a.seen = now, wall }

// Worked ends the work of a process.
func (a *Account) Worked(s *Sample, wall time.Duration) {
	a.seen = wall
	a.work += s.Work
	span := max(s.Span, s.Work, 0)
	a.span += span
	a.worst = max(a.worst, s.Work)
	if span > a.waits || a.slow < 0 {
		a.waits, a.slow = span, s.Pid
	}
}

// Work is the work of this rank's processes in the superstep, so far.
func (a *Account) Work() time.Duration { return a.work }

// NeedsTraffic reports whether the coming superstep's traffic is to be recorded.
func (a *Account) NeedsTraffic() bool { return a.loads.needsTraffic() }

// Carried tells the larger of the bytes that have left the rank and reached it in the
// superstep that Close ends next, by the way that they went.
func (a *Account) Carried(ways *[ledger.Ways]int64) { a.ways = *ways }

// Close ends the superstep, at the given place of the program (0 if none is known),
// and makes the samples ready for the next. recorded says whether they have traffic.
//
// It is part of every superstep, so what is measured is written where it stays: a copy waits
// for the stores of what it copies.
func (a *Account) Close(step int, site uintptr, end clock.Superstep, samples []*Sample, recorded bool) {
	if !a.settings.Kept {
		a.work, a.span, a.worst, a.slow, a.waits = 0, 0, 0, -1, 0
		return
	}
	n := len(a.batch)
	if n == cap(a.batch) {
		a.batch = slices.Grow(a.batch, 1)
	}
	a.batch = a.batch[:n+1]
	m := &a.batch[n]
	m.work, m.cpu, m.worst, m.slowest, m.slow = a.span, a.work, a.worst, a.waits, int64(a.slow)
	m.took, m.barrier, m.site, m.h = end.Took, end.Barrier, 0, 0
	for way := range m.ways {
		m.ways[way] = a.ways[way]
	}
	a.work, a.span, a.worst, a.slow, a.waits = 0, 0, 0, -1, 0
	if site != 0 {
		m.site = int64(site) - int64(anchor)
	}
	for _, s := range samples {
		m.h = max(m.h, int64(s.Sent), int64(s.Received))
		s.Sent, s.Received = 0, 0
	}
	if a.loads.on {
		a.loads.take(a, step, m.site, samples, recorded)
	}
	if a.settings.Book != nil || a.standIn {
		a.steps = append(a.steps, moment{int64(step), a.begun})
	}
}

// Due reports whether this rank wants to ship at the coming barrier.
func (a *Account) Due() bool { return a.late() || a.loads.heavy() }

// late reports, on rank 0 or its stand-in, whether the batch has waited long enough.
func (a *Account) late() bool {
	return (a.settings.Book != nil || a.standIn) && a.seen-a.shipped > max(shipEvery, min(shipLate, a.took*shipShare))
}

// Full reports whether no superstep more goes into the batch: on all ranks at once.
func (a *Account) Full() bool {
	if a.orphaned {
		return len(a.batch) >= orphanedSteps
	}
	return len(a.batch) == batchSteps
}

// Regroup tells that other ranks take part from the superstep on that comes next: of those
// that do, leader is the first. All ranks call it.
//
// BSP cost: as Ship.
func (a *Account) Regroup(step, leader, me int) error {
	a.loads.close(a, step)
	a.untold = true
	err := a.Ship(step)
	a.orphaned = leader > 0
	a.standIn = a.orphaned && leader == me && a.settings.Kept
	return err
}

// Ship brings all ranks' batches to rank 0, which enters them. All ranks call it
// after the same superstep.
//
// BSP cost: l, and g for the batches of all ranks.
func (a *Account) Ship(step int) error {
	if !a.settings.Kept {
		return nil
	}
	return a.ship(step, false)
}

// ship is Ship; last is true for the last one of the run.
func (a *Account) ship(step int, last bool) error {
	a.settings.Clock.Interrupt()
	begun := a.settings.Clock.Wall()
	mine := shipment{Batch: a.batch}
	if a.settings.Machine != nil {
		a.looks = a.looker.look(a.settings.Machine, a.settings.Clock.Wall, last, a.looks[:0])
		mine.Looks = a.looks
	}
	if a.standIn {
		mine.Steps, mine.Ends = a.steps, a.loads.ends
	}
	if a.loads.on {
		a.loads.pack(a, step, &mine)
	}
	err := a.loads.tell(a, a.untold)
	a.untold = false
	if err == nil {
		a.lead.shipments, err = control.Gather(a.settings.Control, 0, &mine, a.lead.shipments)
	}
	if err == nil && a.settings.Rank != 0 {
		err = a.loads.hear(a)
	}
	if a.loads.on {
		a.loads.receive(a)
	}
	if err != nil {
		return err
	}
	a.shipped, a.took = a.seen, a.settings.Clock.Wall()-begun
	if a.settings.Book != nil {
		a.takeOver()
		a.takeLooks()
		a.enterBatch()
		a.tellProgress(step)
	}
	a.batch, a.steps = a.batch[:0], a.steps[:0]
	if a.standIn {
		a.loads.ends = a.loads.ends[:0]
	}
	return nil
}

func (a *Account) present(rank int) bool {
	return a.settings.Present == nil || a.settings.Present(rank)
}
