package bsplib

import (
	"cmp"
	"fmt"
	"runtime"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/decided"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// openBook has rank 0 write down what is known before the first superstep, ahead
// of whatever the ranks may have to say.
func (r *rank) openBook(cfg *Config) *Error {
	if !r.account.on {
		return nil
	}
	if r.comm.Rank() == 0 && cfg.Book != nil {
		r.keep(cfg)
	}
	said := mpi.Flags(0)
	if b := r.account.book; b != nil && b.Recorder != nil {
		said = flagShip
	}
	all, err := r.comm.Exchange(r.side, said)
	if err != nil {
		return r.engineError(err)
	}
	if all&flagShip != 0 { // there is a record to write
		r.account.loads.open(r)
	}
	return nil
}

// keep makes this rank the one that keeps the book. The caller has filled in
// what runs; how is filled in here.
func (r *rank) keep(cfg *Config) {
	a := &r.account
	a.book = cfg.Book
	run := cfg.Book.Run
	run.Engine, run.Procs, run.Mapping = r.comm.Engine(), r.n, ledger.MappingOf(r.where)
	run.Emulated = r.virtual != nil
	if r.comm.Size() == 1 && cfg.Balance != nil {
		run.Strategy = "off (there is one rank)"
	}
	run.LinksFrom = "assumed"
	if cfg.Platform != nil {
		run.Platform, run.LinksFrom = cfg.Platform.Name, "hosts file"
	}
	if cfg.Comm != nil {
		run.LinksFrom, run.SetsFrom = r.grouping.Links, r.grouping.Origin
		run.Measuring = r.sounding.took.Seconds()
	}
	decided.Platform(&run, &r.platform)
	for rank := range run.Ranks {
		run.Ranks[rank].Host = r.hosts[rank]
		speed := cmp.Or(run.Ranks[rank].Speed, 1)
		a.speeds = append(a.speeds, speed)
		a.speed += speed
		a.fastest = max(a.fastest, speed)
	}
	if c := r.checkpoint; c != nil && c.from != nil {
		run.Restarted = c.from.String()
	}
	cfg.Book.Enter(&run)
	if run.Restarted != "" {
		cfg.Book.Enter(&ledger.Warning{Text: "goes on from " + run.Restarted + ": this account begins there"})
	}
	for _, text := range r.grouping.Warnings {
		cfg.Book.Enter(&ledger.Warning{Text: text})
	}
	if cores := runtime.GOMAXPROCS(0); cfg.Comm == nil && !run.Emulated && len(run.Ranks) > cores {
		cfg.Book.Enter(&ledger.Warning{Text: fmt.Sprintf(
			"%d ranks share %d cores: a rank that waits for a core is seen as waiting in the barrier, and its time as unexplained", len(run.Ranks), cores)})
	}
}

// noteCall enters a rescheduling call into the account, on rank 0. What came
// before it has been shipped.
func (r *rank) noteCall(d *rebalancer.Decision, began, took, moved time.Duration) {
	if r.comm.Rank() != 0 {
		return
	}
	b := r.balance
	if r.why != nil {
		d.Why(r.why, &b.platform)
	}
	book := r.account.book
	if book == nil {
		return
	}
	costs := decided.Costs{
		Step: r.step - 1, At: began.Seconds(), Took: took.Seconds(), Move: moved.Seconds(), Messages: b.talk.messages, Talk: b.talk.bytes,
	}
	for _, e := range decided.Entries(d, costs) {
		book.Enter(e)
	}
}

// noteEnd enters what is known when all supersteps are in the book. On an emulated
// platform, that is also what their communication took there.
func (r *rank) noteEnd(elapsed time.Duration) {
	book, v := r.account.book, r.virtual
	if book == nil {
		return
	}
	r.checkpoint.noteSpent(book)
	book.Stop(elapsed.Seconds())
	if v != nil {
		t := book.Whole()
		book.Machine = &ledger.Machine{L: v.platform.Barrier, From: "of the emulated platform, on average over the run"}
		if t.H > 0 {
			book.Machine.PerByte, book.Machine.Latency = v.bytes/float64(t.H), v.latency/float64(t.Talks)
		}
		book.Emulation = &ledger.Emulation{
			Platform: v.name, With: v.clock, Without: v.without, Least: v.least, Calls: v.calls, Moves: v.moves,
		}
	}
}
