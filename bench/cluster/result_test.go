package main

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

// story is a run of two ranks, each with two of four equal processes, in steps of
// 100 ms. From superstep 41 on rank 1 is half as fast; in superstep healed, if it
// is not 0, a process moves from there to rank 0, after calls since the event.
func story(healed, calls int) *outcome {
	o := &outcome{event: 40, history: new(ledger.History)}
	h := o.history
	h.Account.Run().Ranks = []ledger.Rank{{Host: "a"}, {Host: "b"}}
	at := time.Duration(0)
	for step := 1; step <= 100; step++ {
		work := []time.Duration{100 * time.Millisecond, 100 * time.Millisecond}
		took, denied, slowest := 100*time.Millisecond, time.Duration(0), 0
		switch {
		case step > 40 && (healed == 0 || step <= healed):
			work[1], took, denied, slowest = 200*time.Millisecond, 200*time.Millisecond, 100*time.Millisecond, 1
		case step > 40:
			work = []time.Duration{150 * time.Millisecond, 100 * time.Millisecond}
			took, denied = 150*time.Millisecond, 50*time.Millisecond
		}
		h.Steps = append(h.Steps, ledger.Step{
			First: step, Last: step, Count: 1, Work: work, WorkSum: work[0] + work[1], WorkMax: took, Total: took, At: at,
			DeniedSum: denied, SlowestRank: slowest,
		})
		if slowest == 1 {
			h.Steps[step-1].Denied = denied
		}
		h.Account.Enter(&h.Steps[step-1])
		at += took
	}
	for k := range calls {
		h.Calls = append(h.Calls, ledger.Call{Step: healed - 10*(calls-1-k)})
	}
	return o
}

// How long a run took to come near the best is counted from the first slow superstep; one
// alone does not count.
func TestReaction(t *testing.T) {
	for _, c := range []struct{ healed, steps int }{{0, -1}, {41, 0}, {43, 3}, {60, 20}} {
		r := slowedResult()
		r.take(0, story(0, 0))
		got := r.take(2, story(c.healed, 1))
		if want := max(0, 0.2*float64(c.steps)); got.steps != c.steps || math.Abs(got.until-want) > 1e-9 {
			t.Errorf("healed in superstep %d: %+v, want %g s", c.healed, got.reaction, want)
		}
	}
}

func slowedResult() *result {
	return &result{
		experiment: &experiment{procs: 4, even: true, event: &event{host: "b", speed: 0.5}},
		speeds:     map[string]float64{"a": 1, "b": 1}, runs: make([][]run, len(scenarios)),
	}
}

func TestRunsAreComparedWithWhatWasPossible(t *testing.T) {
	r := slowedResult()
	off := r.take(0, story(0, 0))
	if want := 40*0.1 + 60*0.15; math.Abs(off.possible-want) > 1e-9 || math.Abs(off.seconds-(40*0.1+60*0.2)) > 1e-9 {
		t.Errorf("%g of %g s, want %g", off.possible, off.seconds, want)
	}
	if math.Abs(off.checked-1) > 1e-9 || off.recovery != -1 {
		t.Errorf("%+v", off)
	}
	for _, c := range []struct{ healed, calls, want int }{{60, 2, 2}, {50, 1, 1}, {41, 0, 0}, {99, 3, -1}} {
		if got := r.take(4, story(c.healed, c.calls)); got.recovery != c.want {
			t.Errorf("healed after superstep %d with %d calls: %d, want %d", c.healed, c.calls, got.recovery, c.want)
		}
	}
}

func TestALinkThatWasThrottledIsComparedWithWhatItWas(t *testing.T) {
	r := slowedResult()
	r.experiment.event = &event{link: true}
	off := r.take(0, story(0, 0))
	if want := 100 * 0.1; math.Abs(off.possible-want) > 1e-9 {
		t.Errorf("%g s, want %g", off.possible, want)
	}
}

func TestTables(t *testing.T) {
	r := slowedResult()
	r.experiment.name, r.experiment.event.command = "slowed", []string{"set-speed", "b", "50%"}
	for i := range scenarios {
		r.take(i, story(60*(i/4), 2*(i/4)))
	}
	var text strings.Builder
	for _, table := range []frame.Table{r.table(), targets([]*result{r})} {
		must.Do(t, table.Write(&text, false))
	}
	must.Have(t, text.String(), "can be saved; computing took 1.000", "iii auto     14 s  12.5%        66.7%      0.0%      2", "2 calls", "never")
}

func TestStepAt(t *testing.T) {
	h := story(0, 0).history
	for _, c := range []struct {
		since time.Duration
		want  int
	}{{0, 1}, {950 * time.Millisecond, 10}, {4100 * time.Millisecond, 41}, {time.Hour, 100}} {
		if got := stepAt(h, c.since); got != c.want {
			t.Errorf("after %v: superstep %d, want %d", c.since, got, c.want)
		}
	}
}

func TestEventsAreUndone(t *testing.T) {
	var s state
	text := `{"Hosts": [{"Name": "alpha2", "Speed": 0.2}], "Lines": [{"Name": "alpha-beta", "Rate": 100000000}]}`
	must.Do(t, json.Unmarshal([]byte(text), &s))
	for _, c := range []struct {
		event *event
		want  string
	}{{slowed, "set-speed alpha2 20.0000%"}, {throttled, "set-rate alpha-beta 100000000b/s"}, {hogged, "hog alpha2 off"}} {
		if got, err := s.undoing(c.event); err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%v: %v, %v", c.event.command, got, err)
		}
	}
	if _, err := s.undoing(&event{command: []string{"set-speed", "gamma1", "1%"}}); err == nil {
		t.Error("a host that there is not got its speed back")
	}
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-rounds 0", "-rounds 0: at least one is needed"},
		{"-only nothing", "-only nothing: no experiment has that in its name; there are computing, unequal speeds; messages"},
		{"more", `unexpected argument "more"`},
	} {
		var said strings.Builder
		if code := program.Run(strings.Fields(c.args), &said, &said); code != 2 || !strings.Contains(said.String(), c.want) {
			t.Errorf("%s: code %d, %s", c.args, code, said.String())
		}
	}
}

// What follows an event stands in the table for each run of the last scenario.
func TestReactions(t *testing.T) {
	r := &result{experiment: &experiment{name: "calm"}, runs: make([][]run, len(scenarios))}
	r.runs[len(scenarios)-1] = []run{{reaction: reaction{until: 0.7, steps: 4}}, {reaction: reaction{steps: -1}}}
	if got := r.reactions(); got != "" {
		t.Errorf("without an event %q", got)
	}
	r.experiment.event = new(event)
	if got := r.reactions(); got != "0.7 s (4), never" {
		t.Errorf("%q", got)
	}
}

func TestBest(t *testing.T) {
	ms := func(x float64) time.Duration { return time.Duration(x * 1e6) }
	step := func(number int, totalTime float64, work ...float64) ledger.Step {
		s := ledger.Step{First: number, Last: number, Count: 1, Total: ms(totalTime)}
		for _, w := range work {
			s.Work = append(s.Work, ms(w))
			s.WorkSum += ms(w)
			if ms(w) > s.WorkMax {
				s.WorkMax, s.SlowestRank = ms(w), len(s.Work)-1
			}
		}
		return s
	}
	equal := func(int) []float64 { return []float64{1, 1} }
	slowedAt2 := func(step int) []float64 {
		if step < 2 {
			return []float64{1, 1}
		}
		return []float64{1, 0.25}
	}
	for _, c := range []struct {
		name  string
		steps []ledger.Step
		procs int
		even  bool
		at    func(int) []float64
		want  float64 // ms
	}{
		{"balanced", []ledger.Step{step(1, 12, 10, 10)}, 4, true, equal, 11},
		{"one rank has all", []ledger.Step{step(1, 22, 20, 0)}, 4, true, equal, 11},
		{"three processes on two ranks", []ledger.Step{step(1, 31, 30, 0)}, 3, true, equal, 21},
		{"the same, by work over speed", []ledger.Step{step(1, 31, 30, 0)}, 3, false, equal, 15},
		{"slowed", []ledger.Step{step(1, 11, 10, 10), step(2, 41, 10, 10)}, 4, true, slowedAt2, 11 + 21},
	} {
		if got := 1000 * best(c.steps, c.procs, c.even, 0.001, c.at); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %g ms, want %g", c.name, got, c.want)
		}
	}
	denied := step(2, 41, 10, 20)
	denied.Denied, denied.DeniedSum = ms(15), ms(15) // so that rank 1 ran for 5 ms
	if got := 1000 * best([]ledger.Step{denied}, 3, false, 0, equal); math.Abs(got-7.5) > 1e-6 {
		t.Errorf("of time without a core: %g ms, want 7.5", got)
	}
	if got := slowestWork([]ledger.Step{step(1, 11, 10, 5), denied}, slowedAt2); got != ms(10+20) {
		t.Errorf("slowest work %v", got)
	}
}

// steady is a run of ten supersteps that take as long as they are told, with moves after some.
func steady(each time.Duration, moves ...int) *ledger.History {
	h := new(ledger.History)
	for step := 1; step <= 10; step++ {
		h.Steps = append(h.Steps, ledger.Step{First: step, Last: step, Count: 1, At: time.Duration(step-1) * each, Total: each, WorkMax: each, Work: []time.Duration{each}})
		h.Account.Enter(&h.Steps[step-1])
	}
	for _, step := range moves {
		h.Moves = append(h.Moves, ledger.Move{Step: step})
	}
	return h
}

// What follows the last move is compared with the same supersteps elsewhere; programs that are
// not to be gathered are left out, as gathered ones are of what all hosts can save.
func TestGathered(t *testing.T) {
	one := gathering("./apps/some", "-n", "7")
	r := &result{experiment: &one, runs: make([][]run, len(scenarios)), speeds: map[string]float64{}}
	for range 2 {
		r.runs[0] = append(r.runs[0], run{seconds: 9})
		r.runs[len(scenarios)-1] = append(r.runs[len(scenarios)-1], run{seconds: 5, moves: 3, history: steady(30*time.Millisecond, 2, 4)})
		r.alone = append(r.alone, steady(20*time.Millisecond))
	}
	got := gathered([]*result{r, slowedResult()})
	if len(got.Rows) != 1 || strings.Join(got.Rows[0], "|") != "some -n 7|9.00|5.00|0.20|3, 3|6, 6|0.18, 0.18|0.12, 0.12|1.50, 1.50" {
		t.Errorf("%q", got.Rows)
	}
	if len(targets([]*result{r}).Rows) != 0 {
		t.Error("one host alone counts among what all hosts can save")
	}
}

// Launches are compared with runs from equal blocks; the table has the starts of the last ones.
func TestStarts(t *testing.T) {
	r := &result{experiment: &experiment{name: "some"}, runs: make([][]run, len(scenarios))}
	for round := range 3 {
		r.runs[0] = append(r.runs[0], run{seconds: 9})
		r.runs[len(scenarios)-1] = append(r.runs[len(scenarios)-1], run{seconds: 5})
		first, second := &outcome{history: steady(time.Duration(40-10*round) * time.Millisecond)}, &outcome{history: steady(20 * time.Millisecond)}
		second.history.Account.Run().StartFrom("from the profile of 3 May (some -n 7): 4 processes on a")
		r.launches = append(r.launches, []*outcome{first, second})
	}
	got := starts([]*result{r, slowedResult()})
	if len(got.Rows) != 1 || strings.Join(got.Rows[0], "|") != "some|9.00|5.00|0.30|0.20||blocks|profile: 4 processes on a" {
		t.Errorf("%q", got.Rows)
	}
	for start, want := range map[string]string{
		"by speeds: 3 processes on a": "speeds: 3 processes on a", "by the program's hints: 3 processes on a": "hints: 3 processes on a", "blocks": "blocks",
	} {
		if short := shortStart(start); short != want {
			t.Errorf("%s: %s", start, short)
		}
	}
}

// A run whose record does not grow is given up, ended, and said to hang, with where it is.
func TestRunThatHangs(t *testing.T) {
	for _, wait := range []func(w *watched) error{
		func(w *watched) error { return w.finish(context.Background()) },
		func(w *watched) error { _, err := w.await(context.Background(), 7); return err },
	} {
		ctx, stop := context.WithCancel(context.Background())
		launcher := exec.CommandContext(ctx, "sh", "-c", "echo hello; exec sleep 86400")
		w := must.Get(start(launcher, t.TempDir(), 100*time.Millisecond, stop))(t)
		err := w.failed(wait(w))
		if !errors.Is(err, errStill) || !strings.Contains(err.Error(), "ends at superstep 0 and has not grown for 100ms (-patience) after ") || launcher.ProcessState == nil {
			t.Errorf("%v", err)
		}
		w.end()
	}
}

// A run that ends has not hung, whatever its record says.
func TestRunThatEnds(t *testing.T) {
	for code, want := range map[string]string{"0": "", "3": "exit status 3"} {
		w := must.Get(start(exec.Command("sh", "-c", "exit "+code), t.TempDir(), time.Hour, func() {}))(t)
		if err := w.finish(context.Background()); err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("exit %s: %v", code, err)
		}
		if _, err := w.await(context.Background(), 1); !errors.Is(err, errOver) {
			t.Errorf("exit %s: %v", code, err)
		}
		w.end()
	}
}
