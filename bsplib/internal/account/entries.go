package account

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/migbsp/migbsp/bsplib/internal/account/capacity"
	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/decided"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// Facts are what the engine knows of a run before its first superstep, beside what
// the caller has filled into Book.Run.
type Facts struct {
	Where    []int32 // rank of each process
	Platform *rebalancer.Platform
	Hosts    []string // by rank
	Warnings []string
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
			flags, a.lead.window = records, ledger.NewLoadWindow(len(f.Where))
		}
	}
	all, err := a.settings.Control.Exchange(flags)
	if err == nil && all&records != 0 {
		a.loads = loads.NewRecorder(a.settings.Loads, a.settings.Clock, step)
	}
	return err
}

func (a *Account) enterFacts(f Facts) {
	book := a.settings.Book
	run := *book.Run()
	run.Procs, run.Mapping, run.Emulated = len(f.Where), ledger.MappingOf(f.Where), a.settings.Clock.Emulated()
	decided.Platform(&run, f.Platform)
	for rank := range run.Ranks {
		run.Ranks[rank].Host = f.Hosts[rank]
		a.lead.ranks = append(a.lead.ranks, capacity.NewRank(f.Hosts[rank], cmp.Or(run.Ranks[rank].Speed, 1)))
	}
	book.Enter(&run)
	if run.Restarted != "" {
		a.Warn("goes on from " + run.Restarted + ": this account begins there")
	}
	a.Warn(f.Warnings...)
}

// Warn enters warnings that all ranks know of, on rank 0.
func (a *Account) Warn(texts ...string) {
	for _, text := range texts {
		if a.settings.Book != nil {
			a.settings.Book.Enter(&ledger.Warning{Text: text})
		}
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
		seconds, doubt, bank := 0.0, 0.0, d.Learned.Bank
		if bank != nil {
			seconds, doubt = bank.Brought()
		}
		a.enterSaving(seconds, doubt, bank != nil, len(d.Moves) > 0)
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

// enterSaving enters the comparison of the run so far with the run without moves, if something has moved
// or is about to: known says that this would have taken so many seconds more. An emulation knows itself.
func (a *Account) enterSaving(seconds, doubt float64, known, moves bool) {
	book := a.settings.Book
	t := book.Whole()
	seen := t.Step.Total.Seconds()
	s := ledger.Saving{Step: t.Step.Last, Unmoved: max(0, seen+seconds), Seen: seen, Error: doubt}
	if e := a.settings.Clock.Emulation(); e != nil {
		s.Unmoved, s.Seen, s.Error, known = e.Unmoved, e.Took-e.Calls-e.Moves, 0, true
	}
	if known && t.Step.Count > 0 && (moves || book.Calls().Moves > 0) {
		book.Enter(&s)
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
	seconds, doubt, known, err := a.settings.Brought()
	if err == nil {
		err = a.ship(step, true)
	}
	book := a.settings.Book
	if err != nil || book == nil {
		return err
	}
	a.enterCapacity()
	a.enterSaving(seconds, doubt, known, false)
	a.Warn(notes...)
	book.Stop(elapsed.Seconds())
	if e := a.settings.Clock.Emulation(); e != nil {
		book.Emulation = &ledger.Emulation{
			Platform: filepath.Base(book.Run().Platform), With: e.Took, Without: e.Unmoved, Least: e.Bound, Calls: e.Calls, Moves: e.Moves,
		}
		book.Machine = &ledger.Machine{L: e.Barrier, From: "of the emulated platform, on average over the run"}
		if t := book.Whole(); t.Step.H > 0 { // g and L are what it has charged on average
			book.Machine.PerByte, book.Machine.Latency = e.Bytes/float64(t.Step.H), e.Latency/float64(t.Step.Talks)
		}
	}
	return nil
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
		a.enterSaving(0, 0, false, false)
	}
	if book.Recorder != nil {
		book.Recorder.Flush()
	}
	t.Tell(a.settings.Log, book, &p, wall)
}
