// Package measure times a rank's supersteps, for the clock, the account and the decisions about
// moves.
package measure

import (
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account"
	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/clock/laps"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

// Timing holds a rank's clock and account, and selects the supersteps that they measure.
type Timing struct {
	Clock   clock.Clock
	Account *account.Account
	Totals  *loads.Totals // nil unless the run writes a profile
	Earlier time.Duration // elapsed time of the run before this program resumed it

	measured bool // every superstep is
	followed bool // the clock needs the traffic of every superstep
}

// New returns the timing of a rank with a real clock and without an account.
func New() *Timing {
	return &Timing{Clock: clock.NewReal(nil), Account: account.New(account.Settings{})}
}

// Settle determines the measurements that clock and account need. It reports whether every superstep
// is measured.
func (t *Timing) Settle() bool {
	t.followed = t.Clock.Emulated()
	t.measured = t.Account.Kept() || t.followed
	return t.measured
}

// Time returns the time since the run began, restarts included.
func (t *Timing) Time() time.Duration { return t.Earlier + t.Clock.Time() }

// Begin begins a superstep of processes. It reports whether the superstep is measured. b is nil while
// processes cannot move.
func (t *Timing) Begin(s *stream.Stream, b *balance.Balancer, processes []*loads.Sample) bool {
	measuring := t.measured || b != nil && b.Watching()
	s.Recording = t.followed || t.Account.NeedsTraffic() || measuring && t.Totals.NeedsTraffic() || b != nil && b.RecordsTraffic()
	if !measuring {
		return false
	}
	t.Account.Begin(t.Clock.Begin(len(processes)))
	for _, p := range processes {
		p.Traffic, p.Aside = p.Traffic[:0], 0
	}
	return true
}

// Worked ends a process's work in a superstep that is measured, at a site in the program.
func (t *Timing) Worked(p *loads.Sample, step int, site uintptr) {
	if p.Clear == nil {
		p.Clear = new(laps.Clear)
	}
	lap := t.Clock.Lap(p.Pid, step)
	p.Work, p.Waited, p.Span = p.Clear.Work(lap, site), lap.Waited, lap.Span
	t.Account.Worked(p, lap.Wall)
}

// Ended describes a measured superstep that ends.
type Ended struct {
	Step      int
	Site      uintptr         // where it ends in the program
	Processes []*loads.Sample // of this rank
	Where     []int32         // rank of each process
}

// End ends the measuring of a superstep.
func (t *Timing) End(s *stream.Stream, e Ended) error {
	if t.followed {
		for _, p := range e.Processes {
			for _, x := range p.Traffic {
				t.Clock.Carry(x.Pid, p.Pid, x.Bytes, e.Where)
			}
		}
	}
	end, err := t.Clock.Superstep(t.Account.Work(), e.Where)
	if err != nil {
		return err
	}
	t.Totals.Take(e.Step, account.SiteOf(e.Site), e.Processes, s.Recording)
	t.Account.Close(e.Step, e.Site, end, e.Processes, s.Recording, s.Ways.Carried(s.Out))
	return nil
}

// RecordTraffic records traffic, and reports the time it took to the balancer.
func (t *Timing) RecordTraffic(s *stream.Stream, b *balance.Balancer) {
	if b == nil || !b.Watching() {
		s.RecordTraffic()
		return
	}
	begun := t.Clock.Wall()
	s.RecordTraffic()
	b.Recorded(t.Clock.Wall() - begun)
}
