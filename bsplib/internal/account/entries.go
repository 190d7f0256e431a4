package account

import (
	"cmp"
	"fmt"
	"path/filepath"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account/capacity"
	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/decided"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// Facts describes a run before its first superstep, in addition to the fields of Book.Run
// that the caller has set.
type Facts struct {
	Where    []int32 // rank of each process
	Platform *rebalancer.Platform
	Hosts    []string // by rank
	Warnings []string
}

// records is the flag that rank 0 sets if it writes a record.
const records mpi.Flags = 1

// Open begins the account on all ranks before the first superstep, which has the number
// step. Rank 0 enters the facts.
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
	if parts := book.Parts; len(parts) > 0 {
		parts[len(parts)-1].Up = time.Now().UTC()
		book.Enter(&ledger.Parts{List: parts})
	}
	if run.Restarted != "" {
		a.Warn("goes on from " + run.Restarted + ": this account begins there")
	}
	a.Warn(f.Warnings...)
}

// Warn enters warnings on rank 0. All ranks call it with the same texts.
func (a *Account) Warn(texts ...string) {
	for _, text := range texts {
		if a.settings.Book != nil {
			a.settings.Book.Enter(&ledger.Warning{Text: text})
		}
	}
}

// WarnAlone enters a warning of this rank alone. Other ranks than 0 send it with their next
// batch.
func (a *Account) WarnAlone(text string) {
	if a.Warn(text); a.settings.Book == nil && a.settings.Kept {
		a.notes = append(a.notes, text)
	}
}

// Call enters a rescheduling call on rank 0. The caller has shipped the supersteps before it.
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

// Drained enters the outcome of draining a host on rank 0, and prints it to the log.
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

// enterSaving compares the run so far with a run without moves, if a process has moved or is about
// to. If known, moves have saved seconds, with an error of doubt. An emulation uses exact figures.
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

// Stop ends the account before superstep step: all ranks ship their last batch, and rank 0
// enters the totals of the run.
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
		if t := book.Whole(); t.Step.H > 0 { // g and L are the averages that the emulation has charged
			book.Machine.PerByte, book.Machine.Latency = e.Bytes/float64(t.Step.H), e.Latency/float64(t.Step.Talks)
		}
	}
	return nil
}

// enterCapacity enters the capacity that the hosts have granted so far, if it is measured.
func (a *Account) enterCapacity() {
	if a.looker != nil {
		a.settings.Book.Enter(a.lead.ranks.Entry(a.settings.Clock.Now()))
	}
}

// tellProgress enters the progress of the program and prints it to the log.
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
