// Package livetest makes up runs, for tests of readers of records.
package livetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/ledgertest"
)

// Story describes a made-up run. The same story always gives the same record.
type Story struct {
	Seed  uint64
	Steps int
	Ranks int
	Sets  int
	Procs int // on each rank at the beginning
	Every int // supersteps between rescheduling calls; 0 for none

	Emulated bool
	Open     bool // the run has not ended
	Code     int  // its exit code
	Reason   string
	Hosts    []string // names in turn; made up if nil
}

// teller writes the record of a story.
type teller struct {
	story  Story
	random *rand.Rand
	run    *ledger.Run
	where  []int32
	at     time.Duration
	all    []ledger.Entry
	calls  int
}

// Entries returns the entries of the run's record: a run that is unequal at first and
// gets better with each call, whose figures fit together.
func (s Story) Entries() []ledger.Entry {
	t := &teller{story: s, random: rand.New(rand.NewPCG(s.Seed, 0))}
	t.head()
	for n := 1; n <= s.Steps; n++ {
		t.step(n)
		if s.Every > 0 && n%s.Every == 0 {
			t.call(n)
		}
		if n%100 == 0 {
			t.enter(&ledger.Progress{At: t.at.Seconds(), Step: n + 1, Loop: 1, Stage: n, Stages: max(n, s.Steps)})
		}
	}
	if !s.Open {
		t.enter(&ledger.End{
			Code: s.Code, Reason: s.Reason, At: t.at.Seconds(), Supersteps: s.Steps,
			Machine: &ledger.Machine{PerByte: 1e-9, L: 1e-6, From: "a test"},
			Result:  &ledger.Result{Title: "a test", Checks: []ledger.Check{{Name: "residual", Value: 0.01, Limit: 16, Passed: s.Code == 0}}},
		})
	}
	return t.all
}

func (t *teller) enter(e ledger.Entry) { t.all = append(t.all, e) }

func (t *teller) head() {
	run := &ledger.Run{
		Schema: ledger.Schema, Program: "lu", Args: []string{"-n", "1200"}, Engine: "a test", Started: time.Date(2026, 11, 21, 3, 11, 2, 0, time.UTC),
		Job: "4711", Procs: t.story.Ranks * t.story.Procs, Strategy: "auto", LinksFrom: "hosts file", Emulated: t.story.Emulated,
	}
	if t.story.Emulated {
		run.Platform = "two-sets.hosts"
	}
	for set := range t.story.Sets {
		run.Sets = append(run.Sets, ledger.Set{Name: fmt.Sprintf("site%c", 'A'+set), Manager: set * t.story.Ranks / t.story.Sets})
		run.Links = append(run.Links, make([]ledger.Link, t.story.Sets))
	}
	for rank := range t.story.Ranks {
		host := fmt.Sprintf("node%03d", rank/2)
		if len(t.story.Hosts) > 0 {
			host = t.story.Hosts[rank%len(t.story.Hosts)]
		}
		set := rank * t.story.Sets / t.story.Ranks
		run.Ranks = append(run.Ranks, ledger.Rank{Host: host, Set: set, Speed: 1 / float64(1+set)})
		run.Mapping = append(run.Mapping, [2]int{rank, t.story.Procs})
	}
	t.run, t.where = run, run.Mapping.Where()
	t.enter(run)
}

// step has ranks of the later Sets work longer, the less so the more calls there
// have been.
func (t *teller) step(n int) {
	s := &ledger.Step{
		First: n, Last: n, Count: 1, Site: fmt.Sprintf("lu.go:%d", 100+n%3), At: t.at,
		Ranks: t.story.Ranks, H: int64(t.random.IntN(1 << 20)), Comm: time.Duration(1 + t.random.IntN(100000)),
	}
	for rank := range t.story.Ranks {
		base := 1e6 * (1 + float64(t.run.Ranks[rank].Set)/float64(1+t.calls))
		w := time.Duration(base * (0.9 + 0.2*t.random.Float64()))
		s.Work = append(s.Work, w)
		s.WorkSum += w
		if rank == 0 || w < s.WorkMin {
			s.WorkMin = w
		}
		if w > s.WorkMax {
			s.WorkMax, s.SlowestRank = w, rank
		}
	}
	s.Slowest, s.SlowestWork = s.SlowestRank*t.story.Procs, s.WorkMax
	s.Least, s.Total = s.WorkSum/time.Duration(t.story.Ranks), s.WorkMax+s.Comm
	t.at += s.Total
	t.enter(s)
}

// call moves a process or two, but none in each third call.
func (t *teller) call(n int) {
	t.calls++
	c := &ledger.Call{
		Number: t.calls, Step: n, At: t.at.Seconds(), AlphaBefore: t.story.Every, AlphaAfter: t.story.Every, D: 0.5,
		Took: 1e-3, Messages: 4, Talk: 400, Horizon: 100, Considered: 3,
	}
	t.at += time.Millisecond
	var moves []ledger.Entry
	for range t.calls % 3 {
		pid, to := t.random.IntN(t.run.Procs), t.random.IntN(t.story.Ranks)
		v := ledger.Verdict{Pid: pid, Set: t.run.Ranks[to].Set, Comp: t.random.Float64(), Comm: 0.1, Mem: 0.05, To: to, T1: 2, T2: 1, Moves: true, Rule: "relieves a busy rank"}
		c.Verdicts = append(c.Verdicts, v)
		moves = append(moves, &ledger.Move{Call: c.Number, Step: n, Pid: pid, From: int(t.where[pid]), To: to, Bytes: 1 << 20, Reason: v.Rule})
		t.where[pid] = int32(to)
		c.Moved++
		c.Bytes += 1 << 20
	}
	if c.Moved == 0 {
		c.Kept = "no potential is above 0"
		c.Verdicts = []ledger.Verdict{{Pid: 0, Set: -1, Comp: 0.1, Mem: 0.2, To: -1, Rule: c.Kept}}
	} else {
		c.Move, c.Forecast, c.Cost = 5e-3, 0.02, 5e-3
		t.at += 5 * time.Millisecond
	}
	t.all = append(append(t.all, c), moves...)
	if c.Moved > 0 {
		t.enter(&ledger.Outcome{Call: c.Number, Steps: t.story.Every, Predicted: 0.02, Realised: 0.018, Cost: c.Move, Sure: true})
	}
}

// Record returns the story as a file.
func (s Story) Record() []byte {
	entries := s.Entries()
	if !s.Open {
		return ledgertest.Written(entries).Bytes()
	}
	text := bytes.TrimSuffix(ledgertest.Written(append(entries, &ledger.End{})).Bytes(), []byte("\n"))
	return text[:bytes.LastIndexByte(text, '\n')+1]
}
