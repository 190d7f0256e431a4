// Package ledgertest has runs for tests of what keeps and tells their accounts.
package ledgertest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"time"

	. "github.com/migbsp/migbsp/ledger"
)

// US is a unit of times.
const US = time.Microsecond

// Sample is superstep number n of two ranks that worked a and b.
func Sample(n int, site string, a, b time.Duration) *Step {
	s := &Step{
		First: n, Last: n, Count: 1, Site: site, At: time.Duration(n) * time.Millisecond,
		Ranks: 2, Work: []time.Duration{a, b}, WorkSum: a + b, WorkMax: max(a, b), WorkMin: min(a, b), Least: (a + b) / 2,
		SlowestRank: 0, Slowest: 3, SlowestWork: max(a, b), H: 1000, Comm: US, Total: max(a, b) + US,
	}
	if b > a {
		s.SlowestRank, s.Slowest = 1, 7
	}
	return s
}

// TwoRanks is the head of a run of eight processes on two ranks, each a Set.
func TwoRanks() *Run {
	near, far := Link{Latency: 1e-6, PerByte: 1e-9}, Link{Latency: 1e-4, PerByte: 1e-8}
	return &Run{
		Schema: Schema, Program: "lu", Args: []string{"-n", "1000"}, Engine: "in-process", Started: time.Date(2026, 11, 21, 3, 11, 2, 0, time.UTC),
		Procs: 8, Ranks: []Rank{{Host: "a", Speed: 1}, {Host: "b", Set: 1, Speed: 0.5}}, Sets: []Set{{Name: "fast"}, {Name: "slow", Manager: 1}},
		Links: [][]Link{{near, far}, {far, near}}, LinksFrom: "hosts file",
		Strategy: "auto", Mapping: Mapping{{0, 4}, {1, 4}},
	}
}

// File is a record in memory.
type File struct{ bytes.Buffer }

func (*File) Close() error { return nil }

// Story is a run of a number of supersteps with a call after every tenth, each of
// which moves a process back or forth.
func Story(seed uint64, steps int) []Entry {
	random := rand.New(rand.NewPCG(seed, 0))
	all := []Entry{TwoRanks()}
	at := time.Duration(0)
	where := 0
	seen, unmoved := 0.0, 0.0
	for n := 1; n <= steps; n++ {
		s := Sample(n, fmt.Sprintf("file.go:%d", 10+n%3), time.Duration(1+random.IntN(1e6)), time.Duration(1+random.IntN(1e6)))
		s.At = at
		s.Denied, s.DeniedSum = s.WorkMax/4, s.WorkSum/8
		at += s.Total
		all = append(all, s)
		seen += s.Total.Seconds()
		unmoved += s.Total.Seconds()
		if n > 10 {
			unmoved += 1e-5 * float64(n%7)
		}
		if n%10 != 0 {
			continue
		}
		all = append(all, &Saving{Step: n, Unmoved: unmoved, Seen: seen, Error: 1e-6 * float64(n)})
		call := &Call{
			Number: n / 10, Step: n, At: at.Seconds(), AlphaBefore: 10, AlphaAfter: 10, D: 0.5, Moved: 1, Bytes: 100, Took: 1e-4, Move: 2e-4,
			Messages: 2, Talk: 64, Horizon: 100, Forecast: 0.01, Considered: 1,
			Verdicts: []Verdict{{Pid: 0, Set: 1 - where, Comp: 2, Comm: 1, Mem: 0.5, To: 1 - where, T1: 2, T2: 1, Moves: true, Rule: "t1 > t2"}},
		}
		at += 300 * US
		all = append(all, call, &Move{Call: call.Number, Step: n, Pid: 0, From: where, To: 1 - where, Bytes: 100, Reason: "t1 > t2"})
		where = 1 - where
		if n > 10 {
			all = append(all, &Outcome{Call: n/10 - 1, Steps: 10, Predicted: 1e-3, Realised: 8e-4, Sure: true})
		}
	}
	return append(all,
		&Progress{At: at.Seconds(), Step: steps + 1, Loop: 1, Stage: 3, Stages: 4},
		&Warning{At: at.Seconds(), Text: "the network is shared"},
		&End{At: at.Seconds(), Supersteps: steps, Machine: &Machine{PerByte: 1e-9, L: 1e-6, From: "a test"},
			Result: &Result{Title: "LU", Seconds: 1, Work: 2e9, Unit: "flop", Checks: []Check{{Name: "residual", Value: 0.01, Limit: 16, Passed: true}}, Checksum: "00ff"}})
}

// Written is the record of the entries, whose last is an End.
func Written(entries []Entry) *File {
	f := new(File)
	r := NewRecorder(f, func(err error) { panic(err) }).Unhurried()
	for _, e := range entries {
		switch e := e.(type) {
		case *Run:
			r.Begin(e)
		case *End:
			r.Close(e, nil)
		default:
			r.Enter(e)
		}
	}
	return f
}

// AccountOf is the account of the entries.
func AccountOf(entries ...Entry) *Account {
	b := new(Account)
	for _, e := range entries {
		b.Enter(e)
	}
	return b
}

// Compared is a run of two calls with moves, with its comparison to a run without moves.
func Compared() []Entry {
	steps := func(first int, work time.Duration) (all []Entry) {
		for n := first; n < first+10; n++ {
			s := Sample(n, "x", work, US)
			s.Total = work
			all = append(all, s)
		}
		return all
	}
	all := append([]Entry{TwoRanks()}, steps(1, 100*US)...)
	all = append(all, &Saving{Step: 10, Unmoved: 1e-3, Seen: 1e-3},
		&Call{Number: 1, Step: 10, Moved: 1, At: 1e-3, Took: 10e-6, Move: 20e-6, Horizon: 100, Forecast: 5e-3})
	all = append(all, steps(11, 60*US)...)
	all = append(all, &Saving{Step: 20, Unmoved: 2e-3, Seen: 1.6e-3, Error: 3e-5},
		&Call{Number: 2, Step: 20, Moved: 1, Took: 10e-6, Move: 20e-6, Horizon: 10, Forecast: 2e-4})
	all = append(all, steps(21, 50*US)...)
	return append(all, &Call{Number: 3, Step: 25, Took: 10e-6}, &Saving{Step: 30, Unmoved: 3e-3, Seen: 2.1e-3, Error: 5e-5})
}

// Advised returns an account of 40 supersteps of 10 ms of ranks with the given hosts, work and
// mapping, of which communication takes comm.
func Advised(hosts []string, work []time.Duration, where []int32, comm time.Duration) *Account {
	b := new(Account)
	run := &Run{Schema: Schema, Program: "p", Procs: len(where), Sets: []Set{{Name: "all"}}, Links: [][]Link{{{}}}, Strategy: "auto", Mapping: MappingOf(where)}
	for _, host := range hosts {
		run.Ranks = append(run.Ranks, Rank{Host: host, Speed: 1})
	}
	b.Enter(run)
	for n := range 40 {
		s := &Step{First: n + 1, Site: "a.go:1", At: time.Duration(n) * 10 * time.Millisecond, Ranks: len(hosts), Work: work, Total: 10 * time.Millisecond, Comm: comm, Talks: 1, H: 1000}
		s.Count, s.Slowest = 1, 0
		for rank, w := range work {
			s.WorkSum += w
			if w > s.WorkMax {
				s.WorkMax, s.SlowestRank = w, rank
			}
		}
		s.Least = s.WorkSum / time.Duration(len(hosts))
		b.Enter(s)
	}
	b.Machine = &Machine{L: comm.Seconds()}
	return b
}
