package account

import (
	"cmp"
	"fmt"
	"path/filepath"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/decided"
	"github.com/migbsp/migbsp/ledger/tell"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// Facts are what the engine knows of a run before its first superstep, beside what
// the caller has filled into Book.Run.
type Facts struct {
	Engine       string
	Where        []int32 // rank of each process
	Platform     *rebalancer.Platform
	PlatformName string   // "" for none
	LinksFrom    string   // source of what links take
	SetsFrom     string   // source of the Sets
	Hosts        []string // by rank
	Measuring    time.Duration
	Strategy     string // instead of what Book.Run says, unless it is ""
	Restarted    string // the checkpoint from which the run goes on, "" for none
	Warnings     []string
}

// records is the flag by which rank 0 says that there is a record to write.
const records mpi.Flags = 1

// Open begins the account on all ranks, before the first superstep, whose number is
// given. Rank 0 enters the facts.
//
// BSP cost: l.
func (a *Account) Open(step int, f Facts) error {
	if !a.settings.Kept {
		return nil
	}
	if a.settings.Machine != nil && !a.settings.Clock.Emulated() {
		a.looker.open(a.settings.Machine)
	}
	flags := mpi.Flags(0)
	if book := a.settings.Book; book != nil {
		a.enterFacts(f)
		if book.Recorder != nil {
			flags |= records
		}
	}
	all, err := a.settings.Control.Exchange(flags)
	if err == nil && all&records != 0 {
		a.loads.open(a, step)
	}
	return err
}

func (a *Account) enterFacts(f Facts) {
	book := a.settings.Book
	run := *book.Run()
	run.Engine, run.Procs, run.Mapping = f.Engine, a.settings.Procs, ledger.MappingOf(f.Where)
	run.Emulated, run.Platform = a.settings.Clock.Emulated(), f.PlatformName
	run.LinksFrom, run.SetsFrom, run.Measuring = f.LinksFrom, f.SetsFrom, f.Measuring.Seconds()
	run.Strategy = cmp.Or(f.Strategy, run.Strategy)
	run.Restarted = f.Restarted
	decided.Platform(&run, f.Platform)
	for rank := range run.Ranks {
		run.Ranks[rank].Host = f.Hosts[rank]
		speed := cmp.Or(run.Ranks[rank].Speed, 1)
		a.lead.speeds = append(a.lead.speeds, speed)
		a.lead.speed += speed
		a.lead.fastest = max(a.lead.fastest, speed)
	}
	a.lead.hosts, a.lead.granted = f.Hosts, make([]granted, len(a.lead.speeds))
	if !run.Emulated {
		a.lead.paces = newPaces(len(a.lead.speeds))
	}
	book.Enter(&run)
	if run.Restarted != "" {
		a.Warn("goes on from " + run.Restarted + ": this account begins there")
	}
	for _, text := range f.Warnings {
		a.Warn(text)
	}
}

// Warn enters a warning, on rank 0.
func (a *Account) Warn(text string) {
	if book := a.settings.Book; book != nil {
		book.Enter(&ledger.Warning{Text: text})
	}
}

// Call enters a rescheduling call, on rank 0. The supersteps before it have been
// shipped.
func (a *Account) Call(d *rebalancer.Decision, costs decided.Costs) {
	if book := a.settings.Book; book != nil {
		if b := d.Learned.Bank; b != nil {
			a.brought(b.Brought())
		}
		a.enterSaving(len(d.Moves) > 0)
		for _, e := range decided.Entries(d, costs) {
			book.Enter(e)
		}
	}
}

// Drained enters what has become of a host that was to be left, on rank 0, and tells the
// reader of the run's messages.
func (a *Account) Drained(d *ledger.Drain) {
	name := "bsplib"
	if book := a.settings.Book; book != nil {
		name = book.Run().Program
		book.Enter(d)
	}
	if a.settings.Log != nil {
		fmt.Fprintf(a.settings.Log, "%s: %s\n", name, d)
	}
}

// brought takes in how many seconds more the supersteps so far would have taken without moves.
func (a *Account) brought(seconds, doubt float64) {
	t := a.settings.Book.Whole()
	seen := t.Step.Total.Seconds()
	a.lead.saving = &ledger.Saving{Step: t.Step.Last, Unmoved: max(0, seen+seconds), Seen: seen, Error: doubt}
}

// enterSaving enters the comparison of the run so far with the run without moves, where something
// has moved or is about to.
func (a *Account) enterSaving(moves bool) {
	book := a.settings.Book
	if book.Steps() == 0 || !moves && book.Calls().Moves == 0 {
		return
	}
	if e := a.settings.Clock.Emulation(); e != nil {
		a.lead.saving = &ledger.Saving{Step: book.Whole().Step.Last, Unmoved: e.Unmoved, Seen: e.Took - e.Calls - e.Moves}
	}
	if a.lead.saving != nil {
		book.Enter(a.lead.saving)
		a.lead.saving = nil
	}
}

// Stop ends the account after the superstep before the given one: all ranks ship
// what there is, and rank 0 enters what the run has taken in all.
func (a *Account) Stop(step int, notes ...string) error {
	elapsed := a.settings.Clock.Now()
	a.loads.close(a, step)
	if !a.settings.Kept {
		return nil
	}
	if err := a.ship(step, true); err != nil {
		return err
	}
	seconds, doubt, known, err := a.settings.Brought()
	book := a.settings.Book
	if err != nil || book == nil {
		return err
	}
	if a.settings.Machine != nil && a.lead.paces != nil {
		book.Enter(a.capacity())
	}
	if known {
		a.brought(seconds, doubt)
	}
	a.enterSaving(false)
	for _, text := range notes {
		a.Warn(text)
	}
	book.Stop(elapsed.Seconds())
	if e := a.settings.Clock.Emulation(); e != nil {
		book.Machine, book.Emulation = emulated(e, book)
	}
	return nil
}

// emulated is what a run has taken on an emulated platform; g and L are what it has
// charged on average.
func emulated(e *clock.Emulation, book *ledger.Account) (*ledger.Machine, *ledger.Emulation) {
	t := book.Whole()
	m := &ledger.Machine{L: e.Barrier, From: "of the emulated platform, on average over the run"}
	if t.Step.H > 0 {
		m.PerByte, m.Latency = e.Bytes/float64(t.Step.H), e.Latency/float64(t.Step.Talks)
	}
	return m, &ledger.Emulation{
		Platform: filepath.Base(book.Run().Platform), With: e.Took, Without: e.Unmoved, Least: e.Bound, Calls: e.Calls, Moves: e.Moves,
	}
}

// Position is how far a process is in its stage loops: in the Stage-th of Stages of
// the Loop-th loop, from 1; all 0 outside.
type Position struct{ Loop, Stage, Stages int }

// progress is when the record and the reader were last told how far the program
// is.
type progress struct {
	entered time.Duration
	line    time.Duration
	part    float64 // of the stage loop that was done at the last line

	shown, since time.Duration // when a Screen was told last, and when the loop was first met
	loop         int
	from         float64 // the part that was done then
	ran, elapsed float64 // seconds of all ranks, and of the run, when it was told
}

// A Screen is told after screenAfter, and then in each screenEvery.
const (
	screenAfter = 2 * time.Second
	screenEvery = time.Second
)

// show tells a Screen how far the program is, with the time to go where the number of stages
// is known, and the efficiency since it was told last. Behind a loop of stages it does not.
func (a *Account) show(screen Screen, p *ledger.Progress, wall time.Duration) {
	g := &a.lead.progress
	if g.loop > 0 && p.Stage == p.Stages {
		return // a loop has ended, or none has begun again: the program may print
	}
	if g.loop != p.Loop {
		g.loop, g.since, g.from = p.Loop, wall, p.Part()
	}
	if wall < max(screenAfter, g.shown+screenEvery) {
		return
	}
	t := a.settings.Book.Whole()
	ran := (t.Step.WorkSum - t.Step.DeniedSum).Seconds()
	efficiency := 0.0
	if took := float64(max(1, t.Step.Ranks)) * (t.Elapsed - g.elapsed); took > 0 {
		efficiency = (ran - g.ran) / took
	}
	g.shown, g.ran, g.elapsed = wall, ran, t.Elapsed
	screen.Show(tell.Status(a.settings.Book.Run(), p, ledger.ToGo(wall-g.since, g.from, p.Part()), efficiency))
}

// A progress line comes after LineEvery at the earliest, and where it is known how
// much there is to do, after linePart of it.
const (
	LineEvery = 30 * time.Second
	linePart  = 0.05
)

// tellProgress enters how far the program is, and writes a line when one is due.
func (a *Account) tellProgress(step int) {
	g, book, wall := &a.lead.progress, a.settings.Book, a.settings.Clock.Wall()
	at := a.settings.Position()
	p := ledger.Progress{At: a.settings.Clock.Now().Seconds(), Step: step, Loop: at.Loop, Stage: at.Stage, Stages: at.Stages}
	if wall-g.entered > max(time.Second, wall/1000) {
		g.entered = wall
		book.Enter(&p)
		if a.settings.Machine != nil && a.lead.paces != nil {
			book.Enter(a.capacity())
		}
		a.enterSaving(false)
	}
	if book.Recorder != nil {
		book.Recorder.Flush()
	}
	if screen, is := a.settings.Log.(Screen); is {
		a.show(screen, &p, wall)
	} else if a.settings.Log != nil && g.due(wall, p.Part()) {
		fmt.Fprintf(a.settings.Log, "%s %s: %s\n", time.Now().UTC().Format(time.RFC3339), book.Run().Program, tell.Headline(book, &p, wall))
	}
}

// due reports whether a line is due with that part of the loop done, and counts it as
// written then.
func (g *progress) due(wall time.Duration, part float64) bool {
	if wall < g.line+LineEvery || part > g.part && part-g.part < linePart {
		return false
	}
	g.line, g.part = wall, part
	return true
}
