package live

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/live/livetest"
)

// The figures of the whole run equal the account's, and the figures of the last supersteps are the
// sums of the record's last lines.
func TestSpans(t *testing.T) {
	s := livetest.Story{Seed: 1, Steps: 300, Ranks: 8, Sets: 2, Procs: 2, Every: 16}
	state := told(s)
	var steps []*ledger.Step
	for _, e := range s.Entries() {
		if step, is := e.(*ledger.Step); is {
			steps = append(steps, step)
		}
	}
	check := func(name string, got span, want []*ledger.Step) {
		t.Helper()
		var most, sum time.Duration
		byRank := make([]time.Duration, s.Ranks)
		for _, w := range want {
			most += w.WorkMax
			sum += w.WorkSum
			for rank, x := range w.Work {
				byRank[rank] += x
			}
		}
		if got.Count != len(want) || got.WorkMax != most || got.WorkSum != sum || fmt.Sprint(got.Work) != fmt.Sprint(byRank) {
			t.Errorf("%s: %d supersteps, %v, %v, want %d, %v, %v", name, got.Count, got.WorkMax, got.Work, len(want), most, byRank)
		}
	}
	check("whole run", state.whole(), steps)
	check("now", state.now(), steps[len(steps)-recentLines:])
}

// Processes that came and left add up to where they are.
func TestMovesAddUp(t *testing.T) {
	s := livetest.Story{Seed: 2, Steps: 400, Ranks: 6, Sets: 2, Procs: 3, Every: 4}
	state := told(s)
	procs := make([]int, s.Ranks)
	for _, rank := range state.Account.Where() {
		procs[rank]++
	}
	moves := 0
	ranks, sets := state.Account.Moved()
	for rank := range procs {
		if want := s.Procs + ranks[rank].In - ranks[rank].Out; procs[rank] != want {
			t.Errorf("rank %d has %d processes, %d came and %d left of %d", rank, procs[rank], ranks[rank].In, ranks[rank].Out, s.Procs)
		}
		moves += ranks[rank].In
	}
	for set := range s.Sets {
		all := 0
		for rank, is := range state.Account.Run().Ranks {
			if is.Set == set {
				all += procs[rank]
			}
		}
		if want := s.Ranks/s.Sets*s.Procs + sets[set].In - sets[set].Out; all != want {
			t.Errorf("Set %d has %d processes, its flows say %d", set, all, want)
		}
	}
	if moves == 0 || moves != state.Account.Calls().Moves {
		t.Errorf("%d processes came, %d moves", moves, state.Account.Calls().Moves)
	}
}

// The time that is left follows from the part that is done.
func TestRemaining(t *testing.T) {
	head := *told(livetest.Story{Ranks: 2, Sets: 1, Procs: 1, Open: true}).Account.Run()
	for _, c := range []struct {
		name     string
		emulated bool
		words    []ledger.Progress
		wall     time.Duration
		want     time.Duration
		known    bool
	}{
		{"nothing known", false, nil, time.Minute, 0, false},
		{"no stages", false, []ledger.Progress{{At: 10, Step: 5}}, time.Minute, 0, false},
		{"a quarter", false, []ledger.Progress{{At: 10, Loop: 1, Stage: 25, Stages: 100}}, 0, 30 * time.Second, true},
		{"done", false, []ledger.Progress{{At: 10, Loop: 1, Stage: 100, Stages: 100}}, 0, 0, true},
		{"the second loop, first word", false, []ledger.Progress{{At: 10, Loop: 1, Stage: 9, Stages: 10}, {At: 20, Loop: 2, Stage: 1, Stages: 10}}, 0, 0, false},
		{"the second loop", false, []ledger.Progress{{At: 20, Loop: 2, Stage: 1, Stages: 10}, {At: 30, Loop: 2, Stage: 6, Stages: 10}}, 0, 8 * time.Second, true},
		{"emulated", true, []ledger.Progress{{At: 1e6, Loop: 1, Stage: 50, Stages: 100}}, 7 * time.Second, 7 * time.Second, true},
		{"emulated, the second loop", true, []ledger.Progress{{At: 1e6, Loop: 2, Stage: 50, Stages: 100}}, 7 * time.Second, 0, false},
		{"more than all", false, []ledger.Progress{{At: 10, Loop: 1, Stage: 101, Stages: 100}}, 0, 0, false},
	} {
		state := new(State)
		run := head
		run.Emulated = c.emulated
		state.Enter(&run)
		for _, p := range c.words {
			state.Enter(&p)
		}
		if got, known := state.remaining(c.wall); known != c.known || math.Abs(float64(got-c.want)) > 1e6 {
			t.Errorf("%s: %v, %v; want %v, %v", c.name, got, known, c.want, c.known)
		}
	}
}

// Memory does not grow with the run.
func TestStateIsBounded(t *testing.T) {
	entries := livetest.Story{Seed: 1, Steps: 100, Ranks: 64, Sets: 2, Procs: 1, Every: 5, Open: true}.Entries()
	state := new(State)
	state.Enter(entries[0])
	used := func(steps int) uint64 {
		for n := range steps {
			for _, e := range entries[1:] {
				switch e := e.(type) {
				case *ledger.Step:
					s := *e
					s.First, s.Last = e.First+100*n, e.Last+100*n
					s.Work = append([]time.Duration(nil), e.Work...)
					state.Enter(&s)
				case *ledger.Call:
					c := *e
					state.Enter(&c)
				}
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	first := used(400)
	if then := used(400); then > first+2<<20 {
		t.Errorf("%d bytes after 40000 supersteps, %d after 80000", first, then)
	}
	if len(state.recent) != recentLines || len(state.calls) != recentCalls {
		t.Errorf("%d supersteps and %d calls are kept", len(state.recent), len(state.calls))
	}
}
