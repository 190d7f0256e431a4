package bsplib

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/migbsp/migbsp/ledger"
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
	if _, err := r.comm.Exchange(r.side, 0); err != nil {
		return r.engineError(err)
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
	run.Ranks, run.Sets, run.Links = nil, nil, nil
	for rank, is := range r.platform.Ranks {
		run.Ranks = append(run.Ranks, ledger.Rank{Host: r.hosts[rank], Set: is.Set, Speed: is.Speed})
		speed := cmp.Or(is.Speed, 1)
		a.speeds = append(a.speeds, speed)
		a.speed += speed
		a.fastest = max(a.fastest, speed)
	}
	for _, is := range r.platform.Sets {
		run.Sets = append(run.Sets, ledger.Set{Name: is.Name, Manager: is.Manager})
	}
	for _, row := range r.platform.Links {
		var links []ledger.Link
		for _, is := range row {
			links = append(links, ledger.Link{Latency: is.Latency, PerByte: is.PerByte})
		}
		run.Links = append(run.Links, links)
	}
	cfg.Book.Enter(&run)
	if cores := runtime.GOMAXPROCS(0); cfg.Comm == nil && !run.Emulated && len(run.Ranks) > cores {
		cfg.Book.Enter(&ledger.Warning{Text: fmt.Sprintf(
			"%d ranks share %d cores: a rank that waits for a core is seen as waiting in the barrier, and its time as unexplained", len(run.Ranks), cores)})
	}
}

// noteCall enters a rescheduling call into the account, on rank 0. What came
// before it has been shipped.
func (r *rank) noteCall(d *rebalancer.Decision, began float64) {
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
	if o := d.Outcome; o != nil {
		book.Enter(&ledger.Outcome{Call: o.Call, Steps: o.Steps, Predicted: o.Predicted, Realised: o.Realised, Cost: o.Cost, Sure: o.Sure})
	}
	c := &ledger.Call{
		Number: d.Call, Step: r.step - 1, At: began, AlphaBefore: d.Before.Alpha, AlphaAfter: d.After.Alpha,
		D: d.Before.D, Balanced: d.Balanced, Kept: d.Kept, Moved: len(d.Moves), Took: b.called, Move: b.moved,
		Messages: b.talk.messages, Talk: b.talk.bytes,
		Horizon: d.Forecast.Horizon, Forecast: d.Forecast.Before - d.Forecast.After, Cost: d.Forecast.Cost,
		BoundStep: d.Bound.Step, BoundLeast: d.Bound.Least,
		Considered: len(d.Verdicts), Verdicts: verdictsOf(d),
	}
	for _, m := range d.Moves {
		c.Bytes += m.Bytes
	}
	book.Enter(c)
	for _, m := range d.Moves {
		book.Enter(&ledger.Move{Call: d.Call, Step: r.step - 1, Pid: m.Pid, From: m.From, To: m.To, Bytes: m.Bytes, Reason: m.Reason})
	}
}

// mostVerdicts bounds the processes whose verdicts go into the account of a
// call, mostIdle those of a call that moves nothing.
const (
	mostVerdicts = 512
	mostIdle     = 64
)

// verdictsOf are the verdicts that matter most: those that move, and then the
// largest potentials.
func verdictsOf(d *rebalancer.Decision) []ledger.Verdict {
	sorted := slices.Clone(d.Verdicts)
	slices.SortStableFunc(sorted, func(a, b rebalancer.Verdict) int {
		if a.Moves != b.Moves {
			if a.Moves {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.Potential.PM(), a.Potential.PM())
	})
	most := mostVerdicts
	if len(d.Moves) == 0 {
		most = mostIdle
	}
	var all []ledger.Verdict
	for _, v := range sorted[:min(most, len(sorted))] {
		p := v.Potential
		all = append(all, ledger.Verdict{Pid: v.Pid, Set: p.Set, Comp: p.Comp, Comm: p.Comm, Mem: p.Mem, To: v.To, T1: v.T1, T2: v.T2, Moves: v.Moves, Rule: v.Rule})
	}
	return all
}

// noteEnd enters what is known when all supersteps are in the book. On an emulated
// platform, that is also what their communication took there.
func (r *rank) noteEnd(elapsed time.Duration) {
	book, v := r.account.book, r.virtual
	if book == nil {
		return
	}
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
