package bsplib

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"

	"github.com/migbsp/migbsp/bsplib/internal/account"
	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

// openAccount begins the account of the run, ahead of whatever may be entered.
func (r *rank) openAccount(cfg *Config) *Error {
	s := account.Settings{
		Procs: r.n, Rank: r.comm.Rank(), Control: r.channels.control, Clock: r.timing.clock, Speed: cmp.Or(r.cluster.Platform.Ranks[r.comm.Rank()].Speed, 1),
		Kept: cfg.Account != nil || cfg.Measure, Log: r.outcome.log, LeastWindow: cfg.windows,
		StateBytes: r.stateBytes, Present: r.comm.Present, Brought: r.brought,
		Position: r.position, SiteName: site.Name,
	}
	if r.comm.Rank() == 0 {
		s.Book = cfg.Account
	}
	if inProcess := cfg.Comm == nil; !r.timing.clock.Emulated() && (!inProcess || r.comm.Rank() == 0) {
		s.Machine, s.Together = host{r.comm, inProcess}, inProcess
	}
	r.account = account.New(s)
	if err := r.account.Open(r.now.step, r.facts(cfg)); err != nil {
		return r.engineError(err)
	}
	return nil
}

// host is this machine to the account of a rank.
type host struct {
	comm      mpi.Comm
	inProcess bool // ranks are goroutines that change threads
}

func (h host) Contention() probe.Contention { return probe.MeasureContention(h.inProcess) }
func (h host) Quota() float64               { return probe.RankQuota(h.comm) }
func (h host) Cores() float64               { return probe.SharedCores(h.comm) }

// facts are what is known of the run before its first superstep.
func (r *rank) facts(cfg *Config) account.Facts {
	f := account.Facts{
		Engine: r.comm.Engine(), Where: r.residents.where, Platform: &r.cluster.Platform, LinksFrom: "assumed", Hosts: r.cluster.Hosts, Warnings: r.cluster.Warnings(),
	}
	if r.comm.Size() == 1 && cfg.Balance != nil {
		f.Strategy = "off (there is one rank)"
	}
	if cfg.Platform != nil {
		f.PlatformName, f.LinksFrom = cfg.Platform.Name, "hosts file"
	}
	if cfg.Comm != nil {
		f.LinksFrom, f.SetsFrom, f.Measuring = r.cluster.Links(), r.cluster.Sets(), r.cluster.Took()
	}
	if k := r.checkpoint; k != nil && k.From != nil {
		f.Restarted = k.From.String()
	}
	if cores := runtime.GOMAXPROCS(0); cfg.Comm == nil && !r.timing.clock.Emulated() && r.comm.Size() > cores {
		f.Warnings = append(f.Warnings, fmt.Sprintf(
			"%d ranks share %d cores: a rank that waits for a core is seen as waiting in the barrier, and its time as unexplained", r.comm.Size(), cores))
	}
	return f
}

// stopAccount ends the account after the last superstep.
func (r *rank) stopAccount() *Error {
	if err := r.account.Stop(r.now.step, r.checkpoint.Costs()...); err != nil {
		return r.engineError(err)
	}
	return nil
}

// brought is what moves have brought, asked on all ranks after the last superstep and known on
// rank 0 if something has moved. A run that has come to its end does not fail for reports that do
// not fit together: then what the last call said stands, and a warning says so.
func (r *rank) brought() (seconds, doubt float64, known bool, err error) {
	if r.balance == nil {
		return 0, 0, false, nil
	}
	bank, err := r.balance.Conclude(len(r.residents.procs))
	if errors.Is(err, balance.ErrUnfit) {
		r.account.Warn("what moves have saved is as of the last call: " + err.Error())
		err = nil
	}
	if err != nil || bank == nil {
		return 0, 0, false, err
	}
	seconds, doubt = bank.Brought()
	return seconds, doubt, true, nil
}

// ship brings to rank 0 what all ranks have measured so far.
func (r *rank) ship() *Error {
	if err := r.account.Ship(r.now.step); err != nil {
		return r.engineError(err)
	}
	return nil
}

// position is how far the rank's first process is in its stage loops.
func (r *rank) position() (at account.Position) {
	if len(r.residents.procs) > 0 {
		if s := &r.residents.procs[0].stages; s.all > 0 {
			at = account.Position{Loop: s.at.Loop + 1, Stage: s.all - s.left, Stages: s.all}
		}
	}
	return at
}

// beginWork begins the measuring of a superstep, where something asks for it.
func (r *rank) beginWork() {
	b := r.balance
	r.timing.measuring = r.timing.measured || b != nil && b.Watching()
	r.stream.Recording = r.timing.followed || r.account.NeedsTraffic() || b != nil && b.RecordsTraffic()
	if !r.timing.measuring {
		return
	}
	r.account.Begin(r.timing.clock.Begin(len(r.residents.procs)))
	for _, p := range r.residents.procs {
		p.data.Did.Traffic, p.data.Did.Aside = p.data.Did.Traffic[:0], 0
	}
}

// worked ends a process's work in this superstep.
func (r *rank) worked(p *Proc) {
	if !r.timing.measuring {
		return
	}
	if p.telling.depth > 0 {
		p.leaveOut(r.timing.clock.Time())
	}
	lap := r.timing.clock.Lap(p.pid, r.now.step)
	p.data.Did.Work, p.data.Did.Span = lap.Work, lap.Span
	r.account.Worked(&p.data.Did, lap.Wall)
}

// stateBytes is what a move of a process would transfer, -1 if it is not on this rank.
func (r *rank) stateBytes(pid int) int64 {
	if p := r.local(pid); p != nil {
		return p.stateBytes()
	}
	return -1
}

// classifyWays finds out by which way each rank is reached, where an account is kept of
// what this machine takes.
func (r *rank) classifyWays() {
	if !r.timing.measured || r.timing.clock.Emulated() {
		return
	}
	r.stream.Ways.Classify(r.comm.Size(), func(to int) ledger.Way {
		return wayBetween(r.comm, r.comm.Rank(), to, func(rank int) int { return r.cluster.Platform.Ranks[rank].Set })
	})
}

// wayBetween is the way from one rank to another.
func wayBetween(comm mpi.Comm, a, b int, setOf func(rank int) int) ledger.Way {
	switch {
	case a == b:
		return ledger.WithinRank
	case comm.Node(a) == comm.Node(b):
		return ledger.WithinNode
	case setOf(a) == setOf(b):
		return ledger.WithinSet
	}
	return ledger.BetweenSets
}

// carried enters the bytes that the superstep has carried on each way.
func (r *rank) carried() {
	if ways := r.stream.Ways.Carried(r.stream.Out); ways != nil {
		r.account.Carried(ways)
	}
}

// recordTrafficTimed records traffic, and tells who decides from it what that took.
func (r *rank) recordTrafficTimed() {
	if r.balance == nil || !r.balance.Watching() {
		r.stream.RecordTraffic()
		return
	}
	begun := r.timing.clock.Wall()
	r.stream.RecordTraffic()
	r.balance.Recorded(r.timing.clock.Wall() - begun)
}
