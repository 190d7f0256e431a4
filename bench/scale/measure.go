package main

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

// supersteps are what the calls look back on.
const supersteps = 4

// run measures calls of all sizes, Sets and strategies, and prints their figures.
func (s *settings) run(ctx context.Context, session *frame.Session) error {
	deciding := frame.Table{
		Part:   "deciding",
		Title:  fmt.Sprintf("How long report, merge and decide take a processor here, the median of %d, and how much is said", session.Rounds),
		Header: []string{"processes", "Sets", "balance", "report", "merge", "decide", "bytes of reports", "of each", "moves", "bytes of the notice"}, Text: []int{2},
	}
	calls := frame.Table{
		Part:   "calls",
		Title:  "What the busiest manager hears and says, and how long a call takes with it (SIMULATED)",
		Header: []string{"processes", "hosts", "Sets", "balance", "messages", "bytes", "call", "of it deciding"}, Text: []int{3},
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
				f, err := call(ctx, session, instance, spec)
				if err != nil {
					return err
				}
				deciding.Add(f.deciding...)
				calls.Add(f.call...)
			}
		}
	}
	session.Table(deciding)
	session.Table(calls)
	return nil
}

// figures are a row of each table.
type figures struct{ deciding, call []string }

// call makes a call several times and returns its figures.
func call(ctx context.Context, session *frame.Session, n *instance, spec rebalancer.Spec) (*figures, error) {
	of := fmt.Sprintf("%d processes on %d hosts in %d Sets, %s", n.processes, n.hosts, n.sets, spec)
	session.Progress("%s", of)
	runtime.LockOSThread() // whose time is measured
	defer runtime.UnlockOSThread()
	c := rebalancer.New(n.ranks, n.where, spec)
	n.observe(c, supersteps)
	var report rebalancer.Report
	var snapshot rebalancer.Snapshot
	var decision rebalancer.Decision
	var took [3][]float64
	for range session.Rounds {
		var err error
		for i, part := range []func(){
			func() {
				report = c.Report(n.states(supersteps), func(int) rebalancer.Detail { return rebalancer.Detail{State: 1_000_000, Request: -1} })
			},
			func() { snapshot, err = rebalancer.Merge(supersteps, report) },
			func() { decision = c.Decide(snapshot) },
		} {
			began := clock()
			part()
			took[i] = append(took[i], (clock() - began).Seconds())
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return nil, err
			}
		}
	}
	said, heard := report.Size(), c.Notice(&decision, func(int) bool { return false }).Size()
	record, err := sim.Call(n.platform, n.ranks, n.where, said, heard, &decision)
	if err != nil {
		return nil, err
	}
	figure := func(measure, unit string, samples ...float64) float64 {
		return session.Record(of, measure, unit, samples...).Center
	}
	return &figures{
		deciding: []string{
			strconv.Itoa(n.processes), strconv.Itoa(n.sets), spec.String(),
			seconds(figure("report", "s", took[0]...)), seconds(figure("merge", "s", took[1]...)), seconds(figure("decide", "s", took[2]...)),
			amount(figure("bytes of all reports", "B", float64(said))), fmt.Sprintf("%.0f B", float64(said)/float64(n.processes)),
			strconv.Itoa(int(figure("moves", "", float64(len(decision.Moves))))), amount(figure("bytes of the notice", "B", float64(heard))),
		},
		call: []string{
			strconv.Itoa(n.processes), strconv.Itoa(n.hosts), strconv.Itoa(n.sets), spec.String(),
			strconv.Itoa(int(figure("messages of the busiest host", "", float64(record.BusiestMessages)))),
			amount(figure("bytes of the busiest host", "B", record.BusiestBytes)),
			seconds(figure("call, simulated", "s", record.Took)), seconds(figure("deciding, simulated", "s", record.Deciding)),
		},
	}, nil
}

func seconds(s float64) string { return ledger.Seconds(time.Duration(s * 1e9)) }

// amount is a number of bytes in the largest unit of which there is one.
func amount(n float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	at := 0
	for n >= 1000 && at+1 < len(units) {
		n, at = n/1000, at+1
	}
	return fmt.Sprintf("%.3g %s", n, units[at])
}
