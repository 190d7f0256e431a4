package scale

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

// supersteps is the number of supersteps before a call.
const supersteps = 4

// run measures calls of all sizes, Sets and strategies, and prints their figures.
func (s *settings) run(ctx context.Context, session *frame.Session) error {
	t := frame.Table{
		Part: "calls",
		Title: fmt.Sprintf("What a call takes: of a processor here, the median of %d, for the reports of all and for deciding, which every manager does;"+
			" bytes of the reports, and of those two calls later; how long it takes on the platform (SIMULATED); and the result", session.Rounds),
		Header: []string{"processes", "Sets", "balance", "reporting", "deciding", "reports", "later", "notice", "call", "moves", "slowest"}, Text: []int{2},
	}
	for n := s.least; n <= s.most; n *= 10 {
		sets := 0
		for _, grouping := range s.sets {
			instance, err := newInstance(n, grouping)
			if err != nil {
				return err
			}
			if instance.sets == sets {
				continue // few hosts
			}
			sets = instance.sets
			for _, spec := range s.balance {
				row, err := call(ctx, session, instance, spec)
				if err != nil {
					return err
				}
				t.Add(row...)
			}
		}
	}
	session.Table(t)
	return nil
}

// call makes a call several times and returns its row.
func call(ctx context.Context, session *frame.Session, n *instance, spec rebalancer.Spec) ([]string, error) {
	of := fmt.Sprintf("%d processes on %d hosts in %d Sets, %s", n.processes, n.hosts, n.sets, spec)
	session.Progress("%s", of)
	runtime.LockOSThread() // whose time is measured
	defer runtime.UnlockOSThread()
	c := rebalancer.New(n.ranks, n.where, spec)
	n.observe(c, supersteps)
	var took [2][]float64
	var m *made
	for range session.Rounds {
		var err error
		if m, err = n.call(c); err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		for i := range took {
			took[i] = append(took[i], m.took[i].Seconds())
		}
	}
	// Moved processes are reported again, and then few are.
	decision := m.decision
	for range 2 {
		c.Adopt(decision)
		n.observe(c, 2*supersteps)
		next, err := n.call(c)
		if err != nil {
			return nil, err
		}
		decision = next.decision
	}
	c.Adopt(decision)
	n.observe(c, 2*supersteps)
	next := n.report(c)
	figure := func(measure, unit string, samples ...float64) float64 {
		return session.Record(of, measure, unit, samples...).Center
	}
	record := m.record
	figure("messages of the busiest host", "", float64(record.BusiestMessages))
	figure("bytes of the busiest host", "B", record.BusiestBytes)
	figure("deciding, simulated", "s", record.Deciding)
	return []string{
		strconv.Itoa(n.processes), strconv.Itoa(n.sets), spec.String(),
		seconds(figure("report", "s", took[0]...)), seconds(figure("decide", "s", took[1]...)),
		amount(figure("bytes of all reports", "B", float64(m.said))), amount(figure("bytes of the next reports", "B", float64(next.Size()))),
		amount(figure("bytes of the notice", "B", float64(m.noticed))), seconds(figure("call, simulated", "s", record.Took)),
		strconv.Itoa(int(figure("moves", "", float64(len(m.decision.Moves))))),
		fmt.Sprintf("%.1f %%", figure("beyond the lower bound", "%", 100*(n.slowest(&m.decision)/n.least()-1))),
	}, nil
}

// made is a call that was made.
type made struct {
	decision rebalancer.Decision
	record   *sim.CallRecord
	took     [2]time.Duration // for all reports, and for deciding
	said     int              // bytes of the reports
	noticed  int              // and of the notices to hosts
}

// report returns the report of all ranks.
func (n *instance) report(c *rebalancer.Controller) rebalancer.Report {
	return c.Report(n.states(supersteps), func(int) rebalancer.Detail { return rebalancer.Detail{State: 1_000_000, Request: -1} })
}

// call makes a call, which every manager decides.
func (n *instance) call(c *rebalancer.Controller) (*made, error) {
	m, began := new(made), clock()
	report := n.report(c)
	m.took[0] = clock() - began
	began = clock()
	snapshot, err := c.Merge(supersteps, report)
	if err != nil {
		return nil, err
	}
	m.decision = c.Decide(snapshot)
	m.took[1] = clock() - began
	m.said, m.noticed = report.Size(), c.Notice(&m.decision, func(int) bool { return false }).Size()
	m.record, err = sim.Call(n.platform, n.ranks, n.where, m.said, m.noticed, &m.decision)
	return m, err
}

// slowest returns the computing time of a superstep after a decision.
func (n *instance) slowest(d *rebalancer.Decision) float64 {
	where := slices.Clone(n.where)
	for _, m := range d.Moves {
		where[m.Pid] = int32(m.To)
	}
	busy := make([]float64, len(n.ranks.Ranks))
	for pid, rank := range where {
		busy[rank] += n.work[pid] / n.ranks.Ranks[rank].Speed
	}
	return slices.Max(busy)
}

// least returns a lower bound over all mappings: all work distributed evenly, or the
// longest process on the fastest host.
func (n *instance) least() float64 {
	speed, fastest := 0.0, 0.0
	for _, r := range n.ranks.Ranks {
		speed, fastest = speed+r.Speed, max(fastest, r.Speed)
	}
	return max(frame.Sum(n.work)/speed, slices.Max(n.work)/fastest)
}

func seconds(s float64) string { return ledger.Seconds(time.Duration(s * 1e9)) }

// amount formats a number of bytes in the largest unit that gives at least 1.
func amount(n float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	at := 0
	for n >= 1000 && at+1 < len(units) {
		n, at = n/1000, at+1
	}
	return fmt.Sprintf("%.3g %s", n, units[at])
}
