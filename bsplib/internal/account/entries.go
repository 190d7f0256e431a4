package account

import (
	"cmp"
	"fmt"
	"path/filepath"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account/capacity"
	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/decided"
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
		a.looker = capacity.NewLooker(a.settings.Machine)
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
		a.loads = loads.NewRecorder(a.settings.Loads, a.settings.Clock, step)
		if a.settings.Book != nil {
			a.lead.windows = loads.NewWindows(len(f.Where), a.siteName)
		}
	}
	return err
}

func (a *Account) enterFacts(f Facts) {
	book := a.settings.Book
	run := *book.Run()
	run.Engine, run.Procs, run.Mapping = f.Engine, len(f.Where), ledger.MappingOf(f.Where)
	run.Emulated, run.Platform = a.settings.Clock.Emulated(), f.PlatformName
	run.LinksFrom, run.SetsFrom, run.Measuring = f.LinksFrom, f.SetsFrom, f.Measuring.Seconds()
	run.Strategy = cmp.Or(f.Strategy, run.Strategy)
	run.Restarted = f.Restarted
	decided.Platform(&run, f.Platform)
	a.lead.names = make(map[int64]string)
	for rank := range run.Ranks {
		run.Ranks[rank].Host = f.Hosts[rank]
		a.lead.ranks = append(a.lead.ranks, capacity.NewRank(f.Hosts[rank], cmp.Or(run.Ranks[rank].Speed, 1)))
	}
	book.Enter(&run)
	if run.Restarted != "" {
		a.Warn("goes on from " + run.Restarted + ": this account begins there")
	}
	for _, text := range f.Warnings {
		a.Warn(text)
	}
}

// Warn enters a warning that all ranks know of, on rank 0.
func (a *Account) Warn(text string) {
	if book := a.settings.Book; book != nil {
		book.Enter(&ledger.Warning{Text: text})
	}
}

// WarnAlone enters one that only this rank knows of; of another rank than 0, with its next batch.
func (a *Account) WarnAlone(text string) {
	if a.Warn(text); a.settings.Book == nil && a.settings.Kept {
		a.notes = append(a.notes, text)
	}
}

// Call enters a rescheduling call, on rank 0. The supersteps before it have been
// shipped.
func (a *Account) Call(d *rebalancer.Decision, costs decided.Costs) {
	if book := a.settings.Book; book != nil {
		a.lead.until = a.settings.Clock.Now()
		var saving *ledger.Saving
		if b := d.Learned.Bank; b != nil {
			saving = a.brought(b.Brought())
		}
		a.enterSaving(saving, len(d.Moves) > 0)
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

// brought is what moves have brought if the supersteps so far would have taken so many seconds
// more without them.
func (a *Account) brought(seconds, doubt float64) *ledger.Saving {
	t := a.settings.Book.Whole()
	seen := t.Step.Total.Seconds()
	return &ledger.Saving{Step: t.Step.Last, Unmoved: max(0, seen+seconds), Seen: seen, Error: doubt}
}

// enterSaving enters the comparison of the run so far with the run without moves, if there is one
// and something has moved or is about to. An emulation knows it.
func (a *Account) enterSaving(s *ledger.Saving, moves bool) {
	book := a.settings.Book
	if e := a.settings.Clock.Emulation(); e != nil {
		s = &ledger.Saving{Step: book.Whole().Step.Last, Unmoved: e.Unmoved, Seen: e.Took - e.Calls - e.Moves}
	}
	if s != nil && book.Steps() > 0 && (moves || book.Calls().Moves > 0) {
		book.Enter(s)
	}
}

// Stop ends the account after the superstep before the given one: all ranks ship
// what there is, and rank 0 enters what the run has taken in all.
func (a *Account) Stop(step int, notes ...string) error {
	elapsed := a.settings.Clock.Now()
	a.loads.Close(step)
	if !a.settings.Kept {
		return nil
	}
	if err := a.ship(step, false, true); err != nil {
		return err
	}
	seconds, doubt, known, err := a.settings.Brought()
	book := a.settings.Book
	if err != nil || book == nil {
		return err
	}
	a.enterCapacity()
	var saving *ledger.Saving
	if known {
		saving = a.brought(seconds, doubt)
	}
	a.enterSaving(saving, false)
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

// enterCapacity enters what the machine has given so far, if it is asked.
func (a *Account) enterCapacity() {
	if a.looker != nil {
		a.settings.Book.Enter(a.lead.ranks.Entry(a.settings.Clock.Now()))
	}
}

// tellProgress enters how far the program is, and tells a reader of it.
func (a *Account) tellProgress(step int) {
	t, book, wall := &a.lead.progress, a.settings.Book, a.settings.Clock.Wall()
	p := a.settings.Position()
	p.At, p.Step = a.settings.Clock.Now().Seconds(), step
	if t.Enters(wall) {
		book.Enter(&p)
		a.enterCapacity()
		a.enterSaving(nil, false)
	}
	if book.Recorder != nil {
		book.Recorder.Flush()
	}
	t.Tell(a.settings.Log, book, &p, wall)
}
