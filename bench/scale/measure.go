package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/migbsp/migbsp/rebalancer"
	"github.com/migbsp/migbsp/sim"
)

// figures are those of a call.
type figures struct {
	Processes int    `json:"processes"`
	Hosts     int    `json:"hosts"`
	Sets      int    `json:"sets"`
	Balance   string `json:"balance"`
	// Seconds of a processor here, to make the report of all processes, to put reports together, and
	// to decide.
	Report float64 `json:"report"`
	Merge  float64 `json:"merge"`
	Decide float64 `json:"decide"`
	Moves  int     `json:"moves"`
	Said   int     `json:"said"`  // bytes of all reports
	Heard  int     `json:"heard"` // bytes of the decision
	// What the busiest host, which is a manager, sends and receives.
	Messages int     `json:"messages"`
	Bytes    float64 `json:"bytes"`
	// Simulated seconds of the call, and those of them in which managers decide.
	Call     float64 `json:"call"`
	Deciding float64 `json:"deciding"`
}

// supersteps are what the calls look back on.
const supersteps = 4

// run measures all cases and prints their figures. It returns as soon as ctx ends.
func (s *settings) run(ctx context.Context, stdout, stderr io.Writer) error {
	type outcome struct {
		all []figures
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		all, err := s.measure(ctx, stderr)
		done <- outcome{all, err}
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case o := <-done:
		if o.err != nil {
			return o.err
		}
		return s.write(stdout, o.all)
	}
}

func (s *settings) measure(ctx context.Context, stderr io.Writer) (all []figures, err error) {
	for n := s.least; n <= s.most; n *= 10 {
		sets := 0
		for _, grouping := range s.sets {
			instance, err := newInstance(n, grouping)
			if err != nil {
				return nil, err
			}
			if instance.sets == sets {
				continue // few hosts
			}
			sets = instance.sets
			for _, spec := range s.balance {
				fmt.Fprintf(stderr, "%d processes on %d hosts in %d Sets, %s\n", n, instance.hosts, sets, spec)
				f, err := s.call(ctx, instance, spec)
				if err != nil {
					return nil, err
				}
				all = append(all, f)
			}
		}
	}
	return all, nil
}

// call makes a call several times.
func (s *settings) call(ctx context.Context, n *instance, spec rebalancer.Spec) (figures, error) {
	f := figures{Processes: n.processes, Hosts: n.hosts, Sets: n.sets, Balance: spec.String()}
	runtime.LockOSThread() // whose time is measured
	defer runtime.UnlockOSThread()
	c := rebalancer.New(n.ranks, n.where, spec)
	n.observe(c, supersteps)
	var report rebalancer.Report
	var snapshot rebalancer.Snapshot
	var decision rebalancer.Decision
	var took [3][]float64
	for range s.rounds {
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
				return f, err
			}
		}
	}
	f.Report, f.Merge, f.Decide = median(took[0]), median(took[1]), median(took[2])
	f.Moves, f.Said, f.Heard = len(decision.Moves), report.Size(), decision.WithoutVerdicts().Size()
	record, err := sim.Call(n.platform, n.ranks, n.where, f.Said, &decision)
	if err != nil {
		return f, err
	}
	f.Messages, f.Bytes, f.Call, f.Deciding = record.BusiestMessages, record.BusiestBytes, record.Took, record.Deciding
	return f, nil
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
