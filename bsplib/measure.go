package bsplib

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"

	"github.com/migbsp/migbsp/bsplib/internal/account"
	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

// openAccount begins the account of the run, ahead of whatever may be entered.
func (r *rank) openAccount(cfg *Config) *Error {
	s := account.Settings{
		Procs: r.n, Rank: r.comm.Rank(), Control: r.channels.control, Clock: r.timing.clock, Speed: cmp.Or(r.cluster.Platform.Ranks[r.comm.Rank()].Speed, 1),
		Kept: cfg.Account != nil || cfg.Measure, Log: r.outcome.log, LeastWindow: cfg.windows,
		StateBytes: r.crew.stateBytes, Present: r.comm.Present, Brought: r.brought,
		Position: r.crew.position, SiteName: site.Name,
	}
	if r.comm.Rank() == 0 {
		s.Book = cfg.Account
	}
	if inProcess := cfg.Comm == nil; !r.timing.clock.Emulated() && (!inProcess || r.comm.Rank() == 0) {
		s.Machine, s.Together = host{r.comm, inProcess}, inProcess
	}
	r.timing.account = account.New(s)
	if err := r.timing.account.Open(r.now.step, r.facts(cfg)); err != nil {
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

func (h host) Quota() float64 { return probe.RankQuota(h.comm) }

func (h host) Cores() float64 { return probe.SharedCores(h.comm) }

// facts are what is known of the run before its first superstep.
func (r *rank) facts(cfg *Config) account.Facts {
	f := account.Facts{
		Engine: r.comm.Engine().Text, Where: r.where, Platform: &r.cluster.Platform, LinksFrom: "assumed", Hosts: r.cluster.Hosts, Warnings: r.cluster.Warnings(),
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
	if err := r.timing.account.Stop(r.now.step, r.checkpoint.Costs()...); err != nil {
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
	bank, err := r.balance.Conclude(len(r.crew.procs))
	if errors.Is(err, balance.ErrUnfit) {
		r.timing.account.Warn("what moves have saved is as of the last call: " + err.Error())
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
	if err := r.timing.account.Ship(r.now.step); err != nil {
		return r.engineError(err)
	}
	return nil
}

// begin begins the measuring of a superstep, where something asks for it.
func (t *timing) begin(now *current, s *stream.Stream, b *balance.Balancer, procs []*Proc) {
	now.measuring = t.measured || b != nil && b.Watching()
	s.Recording = t.followed || t.account.NeedsTraffic() || b != nil && b.RecordsTraffic()
	if !now.measuring {
		return
	}
	t.account.Begin(t.clock.Begin(len(procs)))
	for _, p := range procs {
		p.data.Did.Traffic, p.data.Did.Aside = p.data.Did.Traffic[:0], 0
	}
}

// beginWork begins the measuring of a superstep.
func (r *rank) beginWork() { r.timing.begin(r.now, r.stream, r.balance, r.crew.procs) }

// worked ends a process's work in a superstep, which is measured.
func (t *timing) worked(p *Proc, step int) {
	if p.telling.depth > 0 {
		p.leaveOut(t.clock.Time())
	}
	lap := t.clock.Lap(p.pid, step)
	p.data.Did.Work, p.data.Did.Span = lap.Work, lap.Span
	t.account.Worked(&p.data.Did, lap.Wall)
}

// end ends the measuring of the rank's superstep, which is measured. where is the rank of each process.
func (t *timing) end(now *current, c *crew, where []int32) error {
	s := c.stream
	if t.followed {
		for _, p := range c.procs {
			for _, x := range p.data.Did.Traffic {
				t.clock.Carry(x.Pid, p.pid, x.Bytes, where)
			}
		}
	}
	end, err := t.clock.Superstep(t.account.Work(), where)
	if err != nil {
		return err
	}
	if ways := s.Ways.Carried(s.Out); ways != nil {
		t.account.Carried(ways)
	}
	t.account.Close(now.step, now.site, end, c.samples, s.Recording)
	return nil
}

// recordTraffic records traffic, and tells who decides from it what that took.
func (t *timing) recordTraffic(s *stream.Stream, b *balance.Balancer) {
	if b == nil || !b.Watching() {
		s.RecordTraffic()
		return
	}
	begun := t.clock.Wall()
	s.RecordTraffic()
	b.Recorded(t.clock.Wall() - begun)
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

// stateBytes is what a move of a process would transfer, -1 if it is not on this rank.
func (c *crew) stateBytes(pid int) int64 {
	if p := c.local(pid); p != nil {
		return p.stateBytes()
	}
	return -1
}
