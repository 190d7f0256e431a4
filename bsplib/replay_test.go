package bsplib_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
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

// simulated is how long the simulator has a recorded run take on the platform where it
// was emulated, with its processes where they began and left there.
func simulated(t *testing.T, text string, hosts *hostfile.File) float64 {
	t.Helper()
	config, _ := replayed(t, text, hosts, "off")
	result := must.Get(sim.Run(t.Context(), config, sim.Report{}))(t)
	return result.Time
}

// replayed is a recorded run's work on a platform whose hosts have the names that the
// run's had.
func replayed(t *testing.T, text string, hosts *hostfile.File, strategy string) (*sim.Config, *replay.Replay) {
	t.Helper()
	file := filepath.Join(t.TempDir(), ledger.RecordName)
	must.Do(t, os.WriteFile(file, []byte(text), 0o666))
	load := must.Get(replay.Open(file, sim.Reference))(t)
	p := must.Get(sim.FromHosts(hosts))(t)
	where := must.Get(p.Named(load.Hosts()))(t)
	return &sim.Config{Platform: p, Workload: load, Where: where, Balance: *balance(t, strategy)}, load
}

// passBytes is a program whose processes compute, and hand bytes to the right.
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

// fastAndSlow are two clusters of four hosts, the second slower and behind a slower line.
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

// An emulated run that is simulated takes about as long, whatever moved in the run. The
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
