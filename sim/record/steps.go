package record

import (
	"cmp"
	"math"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/sim"
)

// steps makes the account of supersteps.
type steps struct {
	speeds  float64 // operations per second of all hosts
	fastest float64 // and of the fastest core
	longest []slowest
	sent    []float64 // bytes, by process
	got     []float64
	made    ledger.Step

	count, h      float64 // sums over the supersteps so far
	comm, barrier float64 // seconds
}

// slowest is the process with most work on a host.
type slowest struct {
	pid     int
	seconds float64
}

func (s *steps) open(c *sim.Config) {
	for i := range c.Platform.Hosts {
		h := &c.Platform.Hosts[i]
		s.speeds += h.Speed * float64(h.Cores)
		s.fastest = max(s.fastest, h.Speed)
	}
	s.longest = make([]slowest, len(c.Platform.Hosts))
	s.sent, s.got = make([]float64, len(c.Where)), make([]float64, len(c.Where))
	s.made.Work = make([]time.Duration, len(c.Platform.Hosts))
}

// step enters a superstep.
func (r *Recording) step(x *sim.StepRecord) {
	r.moves.close(r, x.At)
	r.book.Enter(r.steps.entry(r, x))
	r.loads.take(r, x)
	if len(x.Step.Moves) > 0 {
		r.moves.open(r, x)
	}
}

// entry returns the account of a superstep, with hosts as ranks. The work of a host is the time that
// its processes need at the host's full share; additional time is lost to other users of the host.
func (s *steps) entry(r *Recording, x *sim.StepRecord) *ledger.Step {
	at := duration(x.At)
	e := &s.made
	*e = ledger.Step{
		First: x.Number, Last: x.Number, Count: 1, Site: site(x.Step), At: at, Total: duration(x.At+x.Total) - at,
		Ranks: len(e.Work), Work: e.Work, SlowestRank: -1, Slowest: -1,
	}
	all, most := s.find(r, x.Step)
	compute := min(duration(x.Compute), e.Total)
	for host, seconds := range x.Work {
		h := &r.config.Platform.Hosts[host]
		w := min(compute, duration(max(seconds/float64(h.Cores), s.longest[host].seconds)))
		enterWork(e, host, w, s.longest[host].pid, duration(s.longest[host].seconds))
	}
	e.Lost, e.Comm = compute-e.WorkMax, e.Total-compute
	e.Least = min(e.WorkMax, duration(max(all/s.speeds, most/s.fastest)))
	e.H = s.bytes(x.Step)
	if e.H > 0 {
		e.Talks = 1
	}
	s.count, s.h = s.count+1, s.h+float64(e.H)
	s.barrier += min(x.Barrier, e.Comm.Seconds())
	s.comm += max(0, e.Comm.Seconds()-x.Barrier)
	return e
}

// enterWork enters the work of a rank, and of its slowest process.
func enterWork(e *ledger.Step, rank int, work time.Duration, slowest int, own time.Duration) {
	e.Work[rank] = work
	e.WorkSum += work
	if rank == 0 || work < e.WorkMin {
		e.WorkMin = work
	}
	if work > e.WorkMax || e.SlowestRank < 0 {
		e.WorkMax, e.SlowestRank, e.Slowest, e.SlowestWork = work, rank, slowest, own
	}
}

// find finds each host's slowest process, and adds up all operations.
func (s *steps) find(r *Recording, x *sim.Step) (all, most float64) {
	for host := range s.longest {
		s.longest[host] = slowest{pid: -1}
	}
	for pid, operations := range x.Work {
		host := r.where[pid]
		all, most = all+operations, max(most, operations)
		if seconds := operations / r.config.Platform.Hosts[host].Speed; seconds > s.longest[host].seconds || s.longest[host].pid < 0 {
			s.longest[host] = slowest{pid, seconds}
		}
	}
	return all, most
}

// bytes returns the largest number of bytes that a process sends or receives.
func (s *steps) bytes(x *sim.Step) int64 {
	if len(x.Messages) == 0 {
		return 0
	}
	clear(s.sent)
	clear(s.got)
	most := 0.0
	for _, m := range x.Messages {
		s.sent[m.From] += m.Bytes
		s.got[m.To] += m.Bytes
		most = max(most, s.sent[m.From], s.got[m.To])
	}
	return int64(math.Ceil(min(most, 1<<62)))
}

// machine returns g and l of the BSP model, averages over the run.
func (s *steps) machine() *ledger.Machine {
	m := &ledger.Machine{From: "of the simulated platform, on average over the run"}
	if s.count > 0 {
		m.L = s.barrier / s.count
	}
	if s.h > 0 {
		m.PerByte = s.comm / s.h
	}
	return m
}

// site returns a name for the superstep in tables.
func site(x *sim.Step) string {
	return cmp.Or(x.Site, "superstep")
}

// duration returns a time to the nanosecond.
func duration(seconds float64) time.Duration {
	return time.Duration(math.Round(min(seconds, 1e9) * 1e9))
}
