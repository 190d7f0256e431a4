package ledger

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

const us = time.Microsecond

// sample is superstep number n of two ranks that worked a and b.
func sample(n int, site string, a, b time.Duration) *Step {
	s := &Step{
		First: n, Last: n, Count: 1, Site: site, At: time.Duration(n) * time.Millisecond,
		Ranks: 2, Work: []time.Duration{a, b}, WorkSum: a + b, WorkMax: max(a, b), WorkMin: min(a, b), Least: (a + b) / 2,
		SlowestRank: 0, Slowest: 3, SlowestWork: max(a, b), H: 1000, Comm: us, Total: max(a, b) + us,
	}
	if b > a {
		s.SlowestRank, s.Slowest = 1, 7
	}
	return s
}

// twoRanks is the head of a run of eight processes on two ranks, each a Set.
func twoRanks() *Run {
	return &Run{
		Schema: Schema, Program: "lu", Args: []string{"-n", "1000"}, Engine: "in-process", Started: time.Date(2026, 11, 21, 3, 11, 2, 0, time.UTC),
		Procs: 8, Ranks: []Rank{{"a", 0, 1}, {"b", 1, 0.5}}, Sets: []Set{{"fast", 0}, {"slow", 1}},
		Links: [][]Link{{{1e-6, 1e-9}, {1e-4, 1e-8}}, {{1e-4, 1e-8}, {1e-6, 1e-9}}}, LinksFrom: "hosts file",
		Strategy: "auto", Mapping: Mapping{{0, 4}, {1, 4}},
	}
}

// file is a record in memory.
type file struct{ bytes.Buffer }

func (*file) Close() error { return nil }

// story is a run of a number of supersteps with a call after every tenth, each of
// which moves a process back or forth.
func story(seed uint64, steps int) []Entry {
	random := rand.New(rand.NewPCG(seed, 0))
	all := []Entry{twoRanks()}
	at := time.Duration(0)
	where := 0
	seen, unmoved := 0.0, 0.0
	for n := 1; n <= steps; n++ {
		s := sample(n, fmt.Sprintf("file.go:%d", 10+n%3), time.Duration(1+random.IntN(1e6)), time.Duration(1+random.IntN(1e6)))
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
		at += 300 * us
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

// written is the record of the entries, whose last is an End.
func written(t testing.TB, entries []Entry) *file {
	t.Helper()
	f := new(file)
	r := NewRecorder(f, func(err error) { t.Error(err) }).Unhurried()
	for _, e := range entries {
		switch e := e.(type) {
		case *Run:
			r.Begin(e)
		case *End:
			if err := r.Close(e, nil); err != nil {
				t.Error(err)
			}
		default:
			r.Enter(e)
		}
	}
	return f
}
