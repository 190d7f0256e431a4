// Package decided makes entries of a record from rescheduling decisions and from the
// platform that they were made for. Runs and simulations of runs use it.
package decided

import (
	"cmp"
	"slices"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/rebalancer"
)

// Costs is the time and the costs of a call, which a decision does not contain.
type Costs struct {
	Step     int     // superstep after which it was
	At       float64 // seconds from the start of the run
	Took     float64 // seconds to decide
	Move     float64 // seconds to move
	Messages int64   // that ranks exchanged to decide
	Talk     int64   // bytes of these messages
}

// Entries returns the entries of a decision in the order of a record: the outcome of an
// earlier call, the call itself, and each move.
func Entries(d *rebalancer.Decision, c Costs) []ledger.Entry {
	var all []ledger.Entry
	if o := d.Outcome; o != nil {
		all = append(all, &ledger.Outcome{Call: o.Call, Steps: o.Steps, Predicted: o.Predicted, Realised: o.Realised, Cost: o.Cost, Sure: o.Sure})
	}
	call := &ledger.Call{
		Number: d.Call, Step: c.Step, At: c.At, AlphaBefore: d.Before.Alpha, AlphaAfter: d.After.Alpha,
		D: d.Before.D, Balanced: d.Balanced, Kept: d.WhyNone, Moved: len(d.Moves), Took: c.Took, Move: c.Move,
		Messages: c.Messages, Talk: c.Talk,
		Horizon: d.Forecast.Horizon, Forecast: d.Forecast.Before - d.Forecast.After, Cost: d.Forecast.Cost,
		BoundStep: d.Bound.Step, BoundLeast: d.Bound.Least,
		Considered: len(d.Verdicts), Verdicts: verdicts(d),
	}
	if t := d.Foretelling; t != nil {
		call.ToldError, call.PastError, call.ByTold = t.Told, t.Past, t.Used
	}
	for _, m := range d.Moves {
		call.Bytes += m.Bytes
	}
	all = append(all, call)
	for _, m := range d.Moves {
		all = append(all, &ledger.Move{Call: d.Call, Step: c.Step, Pid: m.Pid, From: m.From, To: m.To, Bytes: m.Bytes, Reason: m.Reason})
	}
	return all
}

// mostVerdicts bounds the processes whose verdicts go into the account of a
// call, mostIdle the same for a call without moves.
const (
	mostVerdicts = 512
	mostIdle     = 64
)

// verdicts returns the most important verdicts: of processes that move, and then of the
// largest potentials.
func verdicts(d *rebalancer.Decision) []ledger.Verdict {
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

// Platform copies the ranks, Sets and links known to rescheduling into the head of a record.
func Platform(run *ledger.Run, p *rebalancer.Platform) {
	run.Ranks, run.Sets, run.Links = nil, nil, nil
	for _, is := range p.Ranks {
		run.Ranks = append(run.Ranks, ledger.Rank{Host: is.Host, Set: is.Set, Speed: is.Speed})
	}
	for _, is := range p.Sets {
		run.Sets = append(run.Sets, ledger.Set{Name: is.Name, Manager: is.Manager})
	}
	for _, row := range p.Links {
		var links []ledger.Link
		for _, is := range row {
			links = append(links, ledger.Link{Latency: is.Latency, PerByte: is.PerByte})
		}
		run.Links = append(run.Links, links)
	}
}
