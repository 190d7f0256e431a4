package bsplib_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
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

// decidedCall holds the compared parts of a call: step counts observed stages.
type decidedCall struct {
	step, horizon, before, after int
	balanced                     bool
	moves                        string
}

// liveCalls returns the calls of a recorded run, one superstep for each stage.
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

// observed is the observed part of a recorded run: all but its first stage and its end.
type observed struct{ *replay.Replay }

func (o observed) Steps() int                       { return o.Replay.Steps() - 2 }
func (o observed) Fill(step int, s *sim.Step) error { return o.Replay.Fill(step+1, s) }

// simulatedCalls returns the simulator's calls for the observations of a run.
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

// sixHosts are so well connected that calls and moves cost next to nothing, because
// their costs differ between emulation and simulation.
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

// A simulated run makes the same decisions as a live run: given the same observations, calls
// come after the same stages, with the same alpha and horizon, and move the same processes. Each
// process has a host of its own, because several on a host would take longer in the
// simulator, where they share its time, than in a run, where they take turns.
func TestSimulatedRunsDecideAsLiveOnes(t *testing.T) {
	bsptest.InProcess(t)
	hosts := platform(t, sixHosts)
	// Process 0 is on a fast host at first, 1 and 2 are on slow ones. They work so long that
	// the measured duration of calls in a live run changes no decision.
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
		cfg := bsplib.Config{Procs: 3, Start: "blocks", Platform: hosts, Balance: balance(t, c.strategy)}.WithWork(c.work)
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

// The choice among many ranks that share the cores makes no difference: no process moves among
// them, even if loads are so unequal that it would among ranks with a core each.
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

// simulated returns the simulator's time for a recorded run on its emulated platform, with the
// initial mapping and without moves.
func simulated(t *testing.T, text string, hosts *hostfile.File) float64 {
	t.Helper()
	config, _ := replayed(t, text, hosts, "off")
	result := must.Get(sim.Run(t.Context(), config, sim.Report{}))(t)
	return result.Time
}

// replayed returns a recorded run's work on a platform whose hosts have the same names as the
// run's.
func replayed(t *testing.T, text string, hosts *hostfile.File, strategy string) (*sim.Config, *replay.Replay) {
	t.Helper()
	file := filepath.Join(t.TempDir(), ledger.RecordName)
	must.Do(t, os.WriteFile(file, []byte(text), 0o666))
	load := must.Get(replay.Open(file, sim.Reference))(t)
	p := must.Get(sim.FromHosts(hosts))(t)
	where := must.Get(p.Named(load.Hosts()))(t)
	return &sim.Config{Platform: p, Workload: load, Where: where, Balance: *balance(t, strategy)}, load
}

// passBytes returns a program whose processes compute, and pass bytes to the right.
func passBytes(stages, bytes int, compute func(pid int)) func(*bsplib.Proc, *bytesState) error {
	return func(b *bsplib.Proc, s *bytesState) error {
		if b.Fresh() {
			s.In = bsplib.Alloc[byte](b, bytes)
			b.Sync()
		}
		for range b.Stages(stages) {
			compute(b.Pid())
			s.In.Put(right(b), 0, make([]byte, bytes)...)
		}
		return nil
	}
}

type bytesState struct{ In bsplib.Area[byte] }

// fastAndSlow are two clusters of four hosts, the second slower and behind a slower link.
const fastAndSlow = `
#@set fast manager=fast1 speed=0.10 rate=1Gb/s latency=50us
fast1 slots=1
fast2 slots=1
fast3 slots=1
fast4 slots=1
#@set slow manager=slow1 speed=0.04 rate=1Gb/s latency=50us
slow1 slots=1
slow2 slots=1
slow3 slots=1
slow4 slots=1
#@link fast slow rate=1Gb/s latency=500us
`

// The simulation of an emulated run takes about the same time, with any moves. The
// simulator lets processes that are ready send while others compute, emulation does not:
// in each superstep, the latency between the Sets may be hidden.
func TestSimulatedLikeEmulated(t *testing.T) {
	bsptest.InProcess(t)
	if raceEnabled {
		t.Skip("compares times")
	}
	hosts := platform(t, fastAndSlow)
	uneven := func(pid, step int) time.Duration { return time.Duration(1+pid%3) * time.Millisecond }
	sink := make([]float64, 16)
	count := func(pid int) {
		for k := range (1 + pid%3) * 200_000 {
			sink[pid] += math.Sqrt(float64(k))
		}
	}
	for _, c := range []struct {
		name  string
		cfg   bsplib.Config
		bytes int
		work  func(pid int)
	}{
		{"computing", bsplib.Config{}.WithWork(uneven), 8, func(int) {}},
		{"and communicating", bsplib.Config{}.WithWork(uneven), 500_000, func(int) {}},
		{"with moves", bsplib.Config{Balance: balance(t, "auto")}.WithWork(uneven), 100_000, func(int) {}},
		{"measured", bsplib.Config{}, 8, count},
	} {
		cfg := c.cfg
		cfg.Procs, cfg.Platform = 16, hosts
		text := recordOf(t, cfg, passBytes(50, c.bytes, c.work))
		h := must.Get(ledger.ReadFrom(c.name, strings.NewReader(text)))(t)
		if moves := len(h.Moves) > 0; moves != (cfg.Balance != nil) {
			t.Errorf("%s: moves %v", c.name, moves)
		}
		emulated, simulated := h.End.Emulation.Without, simulated(t, text, hosts)
		hidden := float64(h.Account.Steps()) * 550e-6
		t.Logf("%s: emulated %g s, simulated %g s: %+.2f%%", c.name, emulated, simulated, 100*(simulated/emulated-1))
		if simulated > 1.01*emulated || simulated < 0.99*emulated-hidden {
			t.Errorf("%s: emulated %g s, simulated %g s", c.name, emulated, simulated)
		}
	}
}
