package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// shape has the parameters of an invented run.
type shape struct {
	seed                      uint64
	steps, ranks, sets, procs int
	every                     int // supersteps between calls; 0 for no calls
	moves                     int // processes that a call moves
	strategy                  string
	name                      func(kind string, i int) string // of hosts, Sets, rules; nil for plain ones
	real                      bool                            // not emulated
	going                     bool                            // has not ended
	bare                      bool                            // without g, l and result
}

// usual is a run that has all that a page can show.
var usual = shape{seed: 1, steps: 400, ranks: 12, sets: 3, procs: 24, every: 40, moves: 3, strategy: "migcube"}

// lines writes a record's lines.
type lines struct {
	bytes.Buffer
	t testing.TB
}

func (l *lines) add(kind string, value any) {
	text := must.Get(json.Marshal(value))(l.t)
	fmt.Fprintf(l, "{\"type\":%q,%s\n", kind, text[1:])
}

// history returns the run. It obeys the identities, so that a problem in a page is a problem.
func (s shape) history(t testing.TB) *ledger.History {
	t.Helper()
	h := must.Get(ledger.ReadFrom("runs/made/run.jsonl", s.record(t)))(t)
	if len(h.Problems) > 0 {
		t.Fatalf("%+v: %q", s, h.Problems)
	}
	return h
}

// record returns the run's record.
func (s shape) record(t testing.TB) *lines {
	l := &lines{t: t}
	random := rand.New(rand.NewPCG(s.seed, 2))
	run := s.run()
	l.add("run", run)
	where := run.Mapping.Where()
	at, saved := 0.0, 0.0
	for n := 1; n <= s.steps; n++ {
		at += s.step(l, random, run, where, n, at)
		if s.every > 0 && n%s.every == 0 && n < s.steps {
			at += s.call(l, random, run, where, n, at)
			saved += 0.01
		}
	}
	if s.going {
		return l
	}
	end := ledger.End{At: at, Supersteps: s.steps}
	if !s.bare {
		end.Machine = &ledger.Machine{PerByte: 2e-9, L: 1e-5, From: "measured after the run"}
		end.Result = &ledger.Result{Title: s.named("title", 0), Size: "1000 x 1000", Seconds: at, Work: 1e9, Unit: "flop",
			Checks: []ledger.Check{{Name: "residual", Value: 0.02, Limit: 16, Passed: true}}, Checksum: "00ff"}
		if !s.real {
			end.Emulation = &ledger.Emulation{Platform: run.Platform, With: at, Without: at + saved, Least: at / 2}
		}
	}
	l.add("end", end)
	return l
}

func (s shape) named(kind string, i int) string {
	if s.name != nil {
		return s.name(kind, i)
	}
	if kind == "host" || kind == "set" {
		return fmt.Sprintf("%s%d", kind, i)
	}
	return "the " + kind
}

func (s shape) run() *ledger.Run {
	run := &ledger.Run{
		Schema: ledger.Schema, Program: s.named("program", 0), Args: []string{"-n", "1000", s.named("argument", 0)}, Version: "0.3.0", Go: "go1.26",
		Engine: "in-process", Started: time.Date(2026, 11, 21, 3, 11, 2, 0, time.UTC), Procs: s.procs, Emulated: !s.real, Strategy: s.strategy,
		Settings: []ledger.Setting{{Name: "seed", Value: s.named("value", 0), Origin: "flag"}},
	}
	for rank := range s.ranks {
		set := rank * s.sets / s.ranks
		run.Ranks = append(run.Ranks, ledger.Rank{Host: s.named("host", rank), Set: set, Speed: 1 / float64(1+set)})
	}
	for set := range s.sets {
		run.Sets = append(run.Sets, ledger.Set{Name: s.named("set", set), Manager: set * s.ranks / s.sets})
		row := make([]ledger.Link, s.sets)
		for i := range row {
			row[i] = ledger.Link{Latency: 1e-5, PerByte: 1e-9}
		}
		run.Links = append(run.Links, row)
	}
	if !s.real {
		run.Platform = "made.hosts"
	}
	where := make([]int32, s.procs)
	for pid := range where {
		where[pid] = int32(pid * s.ranks / s.procs)
	}
	run.Mapping = ledger.MappingOf(where)
	return run
}

// step adds a superstep and returns its duration.
func (s shape) step(l *lines, random *rand.Rand, run *ledger.Run, where []int32, n int, at float64) float64 {
	work := make([]float64, s.ranks)
	for _, rank := range where {
		work[rank] += float64(int(1e6*(0.8+0.4*random.Float64())/run.Ranks[rank].Speed)) / 1e9
	}
	most, least, slow := 0.0, 1e9, 0
	for rank, w := range work {
		least = min(least, w)
		if w > most {
			most, slow = w, rank
		}
	}
	const comm = 3e-5
	l.add("superstep", map[string]any{"first": n, "last": n, "count": 1, "site": fmt.Sprintf("%s:%d", s.named("site", 0), 10+n%3), "at": at, "w": work,
		"w_max": most, "w_min": least, "least": least, "slow_rank": slow, "slow_pid": 0, "slow_w": most, "h": 8000, "comm": comm, "t": most + comm})
	return most + comm
}

// call adds a rescheduling call with its moves and its outcome, and returns how
// long it took.
func (s shape) call(l *lines, random *rand.Rand, run *ledger.Run, where []int32, n int, at float64) float64 {
	c := ledger.Call{Number: n / s.every, Step: n, At: at, AlphaBefore: s.every, AlphaAfter: s.every * (1 + n/s.every%2), D: 0.5, Took: 1e-4, Messages: 4, Talk: 100,
		Horizon: 100, Forecast: 0.02, Cost: 1e-3, BoundStep: 3e-3, BoundLeast: 2e-3, Considered: s.procs}
	var moves []ledger.Move
	for pid := range s.procs {
		v := ledger.Verdict{Pid: pid, Set: random.IntN(s.sets), Comp: 1e-2 * random.Float64(), Comm: 2e-3 * random.Float64(), Mem: 4e-3 * random.Float64(), To: -1, Rule: s.named("rule", pid)}
		to := random.IntN(s.ranks)
		if len(moves) < s.moves && int(where[pid]) != to {
			v.To, v.Moves = to, true
			moves = append(moves, ledger.Move{Call: c.Number, Step: n, Pid: pid, From: int(where[pid]), To: to, Bytes: 1000, Reason: v.Rule})
			where[pid] = int32(to)
		}
		c.Verdicts = append(c.Verdicts, v)
	}
	c.Moved, c.Bytes, c.Move = len(moves), int64(1000*len(moves)), 2e-4*float64(len(moves))
	if c.Moved == 0 {
		c.Kept = s.named("reason", 0)
	}
	l.add("balance", c)
	for _, m := range moves {
		l.add("migration", m)
	}
	if c.Moved > 0 {
		l.add("outcome", ledger.Outcome{Call: c.Number, Steps: s.every, Predicted: 0.01 * random.Float64(), Realised: 0.01 * random.Float64(), Cost: 1e-3, Sure: c.Number%2 == 0})
	}
	return c.Took + c.Move
}

// pageOf returns the page of a run.
func pageOf(t testing.TB, h *ledger.History) string {
	t.Helper()
	var text strings.Builder
	must.Do(t, Write(&text, tell.OfRecord(h), nil))
	return text.String()
}

// pageOfTwo returns the page that compares two runs.
func pageOfTwo(t testing.TB, a, b *ledger.History) string {
	t.Helper()
	var text strings.Builder
	must.Do(t, WriteComparison(&text, tell.OfRecord(a), tell.OfRecord(b)))
	return text.String()
}

// stored writes a page into a file and returns its name.
func stored(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	must.Do(t, os.WriteFile(name, []byte(text), 0o644))
	return name
}
