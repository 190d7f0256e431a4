package bsplib_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/sim"
	replay "github.com/migbsp/migbsp/sim/record"
)

// decidedCall is what is compared of a call: step counts observed stages.
type decidedCall struct {
	step, horizon, before, after int
	balanced                     bool
	moves                        string
}

// liveCalls are the calls of a recorded run, one superstep for each stage.
func liveCalls(t *testing.T, text string) (calls []decidedCall) {
	t.Helper()
	h, err := ledger.ReadFrom("live", strings.NewReader(text))
	if err != nil || len(h.Problems) > 0 {
		t.Fatal(err, h.Problems)
	}
	for _, c := range h.Calls {
		var moves []string
		for _, m := range h.Moves {
			if m.Call == c.Number {
				moves = append(moves, fmt.Sprintf("%d:%d>%d", m.Pid, m.From, m.To))
			}
		}
		// The first stage is not observed.
		calls = append(calls, decidedCall{c.Step - 1, c.Horizon, c.AlphaBefore, c.AlphaAfter, c.Balanced, strings.Join(moves, " ")})
	}
	return calls
}

// observed is what was observed of a recorded run: all but its first stage and its end.
type observed struct{ *replay.Replay }

func (o observed) Steps() int                       { return o.Replay.Steps() - 2 }
func (o observed) Fill(step int, s *sim.Step) error { return o.Replay.Fill(step+1, s) }

// simulatedCalls are those that the simulator makes, given what was observed in a run.
func simulatedCalls(t *testing.T, text string, hosts *hostfile.File, strategy string) (calls []decidedCall) {
	t.Helper()
	config, load := replayed(t, text, hosts, strategy)
	if w := load.Warnings(); w != nil {
		t.Fatal(w)
	}
	config.Workload = observed{load}
	must.Get(sim.Run(t.Context(), config, sim.Report{Call: func(c *sim.CallRecord) {
		d := &c.Decision
		var moves []string
		for _, m := range d.Moves {
			moves = append(moves, fmt.Sprintf("%d:%d>%d", m.Pid, m.From, m.To))
		}
		calls = append(calls, decidedCall{d.Step, d.Forecast.Horizon, d.Before.Alpha, d.After.Alpha, d.Balanced, strings.Join(moves, " ")})
	}}))(t)
	return calls
}

// sixHosts are so well connected that calls and moves cost next to nothing: what they
// cost differs between emulation and simulation.
const sixHosts = `
#@set fast manager=a speed=1 rate=1000Gb/s latency=1us
a slots=1
b slots=1
c slots=1
#@set slow manager=d speed=0.5 rate=1000Gb/s latency=1us
d slots=1
e slots=1
f slots=1
#@link fast slow rate=1000Gb/s latency=1us
`

// A simulated run takes the decisions of a live one: given the same observations, calls
// come after the same stages, with the same alpha and horizon, and move the same. There
// is a host for each process, for of several on a host each would take longer in the
// simulator, where they share its time, than in a run, where they take turns.
func TestSimulatedRunsDecideAsLiveOnes(t *testing.T) {
	bsptest.InProcess(t)
	hosts := platform(t, sixHosts)
	// Process 0 is on a fast host at first, 1 and 2 are on slow ones. They work so long that
	// what a call takes here, which a live run measures, changes no decision.
	fitted := func(pid, _ int) time.Duration { return [...]time.Duration{8, 4, 4}[pid] * time.Hour }
	even := func(int, int) time.Duration { return 8 * time.Hour }
	for _, c := range []struct {
		name, strategy string
		stages         int
		work           func(pid, step int) time.Duration
		call           int    // one of the calls
		moves          string // made then
	}{
		{"balanced", "auto", 100, fitted, 19, ""},
		{"uneven", "auto", 100, even, 2, "1:3>0 2:5>2"},
		{"by the pace alone", "percent,guard=0,alpha=2", 60, even, 2, "1:3>0 2:5>2"},
		{"judged at the end of the loop", "auto", 6, even, 5, ""},
		{"stages that become slow", "auto", 100, func(pid, step int) time.Duration {
			if step > 14 {
				return even(pid, step)
			}
			return fitted(pid, step)
		}, 16, "1:3>0 2:5>2"},
		{"and become slow for ever", "auto", 100, func(pid, step int) time.Duration {
			if step > 14 {
				return 3 * fitted(pid, step)
			}
			return fitted(pid, step)
		}, 16, ""},
	} {
		cfg := bsplib.Config{Procs: 3, Platform: hosts, Balance: balance(t, c.strategy)}.WithWork(c.work)
		text := recordOf(t, cfg, func(b *bsplib.Proc, s *struct{ X [100]int }) error {
			for range b.Stages(c.stages) {
				s.X[0]++
			}
			return nil
		})
		live, simulated := liveCalls(t, text), simulatedCalls(t, text, hosts, c.strategy)
		if !slices.Equal(live, simulated) {
			t.Errorf("%s: live calls\n%+v, simulated ones\n%+v", c.name, live, simulated)
		}
		if !slices.ContainsFunc(live, func(d decidedCall) bool { return d.step == c.call && d.moves == c.moves }) {
			t.Errorf("%s: there is no call after stage %d that moves %q: %+v", c.name, c.call, c.moves, live)
		}
	}
}

// Which of many ranks that share the cores a process runs on makes no difference: nothing
// moves among them, however unequal they are, where it would among ranks with a core each.
func TestNothingMovesAmongRanksThatShareCores(t *testing.T) {
	bsptest.InProcess(t)
	unequal := func(pid, _ int) time.Duration { return time.Duration(1+pid/4%3) * 5 * time.Hour }
	for _, strategy := range []string{"percent,guard=0,alpha=2", "pub-global,guard=0,alpha=2"} {
		for _, cores := range []float64{2, 12} {
			var moved atomic.Int32
			cfg := bsplib.Config{Procs: 48, Ranks: 12, Balance: balance(t, strategy)}.WithWork(unequal).WithCores(cores)
			err := bsptest.Try(t, cfg, func(b *bsplib.Proc, s *struct{ Rank int }) error {
				for k := range b.Stages(30) {
					if k > 0 && s.Rank != b.Rank() {
						moved.Add(1)
					}
					s.Rank = b.Rank()
				}
				return nil
			})
			if err != nil || moved.Load() > 0 != (cores == 12) {
				t.Errorf("%s: %d moves among 12 ranks of %g cores, %v", strategy, moved.Load(), cores, err)
			}
		}
	}
}
