package bsplib_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/randprog"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// A run begins by speeds, unless its strategy is a published one, and compares its moves with that
// start.
func TestStartBySpeeds(t *testing.T) {
	bsptest.InProcess(t)
	const hosts = "#@set s speed=1\na slots=1\nb slots=1\n#@host b speed=0.25\n"
	const speeds = "by speeds: 8 processes on a, 2 on b"
	for _, c := range []struct{ start, balance, want string }{
		{"", "auto", speeds}, {"", "off", speeds}, {"speeds", "percent", speeds},
		{"", "percent", "blocks"}, {"blocks", "auto", "blocks"}, {"", "automig", "blocks"},
	} {
		cfg := bsplib.Config{Procs: 10, Platform: platform(t, hosts), Start: c.start, Balance: balance(t, c.balance)}.WithWork(milliseconds(10))
		h := recorded(t, cfg, passOn(20))
		run := h.Account.Run()
		if run.Start() != c.want {
			t.Errorf("%q with %s: begins %q, want %q", c.start, c.balance, run.Start(), c.want)
		}
		want := []int{5, 5}
		if c.want == speeds {
			want = []int{8, 2}
		}
		if got := countsOf(run.Mapping.Where(), 2); !slices.Equal(got, want) {
			t.Errorf("%q with %s: %v processes by rank, want %v", c.start, c.balance, got, want)
		}
		if e := h.End.Emulation; c.want == speeds && (len(h.Moves) > 0 || e.Without > 20*0.08*1.2) {
			t.Errorf("%q with %s: %d moves, %g s without them", c.start, c.balance, len(h.Moves), e.Without)
		}
	}
}

func countsOf(where []int32, ranks int) []int {
	n := make([]int, ranks)
	for _, rank := range where {
		n[rank]++
	}
	return n
}

// Equal ranks begin in equal blocks.
func TestStartOfEqualRanks(t *testing.T) {
	bsptest.InProcess(t)
	h := recorded(t, bsplib.Config{Procs: 10, Ranks: 4}, passOn(3))
	if got, run := countsOf(h.Account.Run().Mapping.Where(), 4), h.Account.Run(); !slices.Equal(got, []int{2, 3, 2, 3}) || run.Start() != "blocks" {
		t.Errorf("%v, %q", got, run.Start())
	}
}

// mapped returns a configuration with a random initial mapping, which leaves ranks empty.
func mapped(t testing.TB, cfg bsplib.Config, seed uint64) bsplib.Config {
	t.Helper()
	host, err := os.Hostname()
	must.Do(t, err)
	ranks, random := cfg.Ranks, rand.New(rand.NewPCG(seed, 0))
	if cfg.Comm != nil {
		ranks = cfg.Comm.Size()
	}
	var text strings.Builder
	for pid := range cfg.Procs {
		fmt.Fprintf(&text, "map,%d,%s,%d\n", pid, host, random.IntN(ranks))
	}
	cfg.Start = filepath.Join(t.TempDir(), "mapping.csv")
	must.Write(t, cfg.Start, text.String(), 0o600)
	return cfg
}

// Random programs have the same results with every initial mapping.
func TestRandomProgramsStartAnywhere(t *testing.T) {
	bsptest.InProcess(t)
	count := uint64(60)
	if testing.Short() || raceEnabled {
		count = 10
	}
	for i := range count {
		seed := *firstSeed + 2000 + i
		p := randprog.Generate(seed, sizeOf(seed), 0)
		want := p.Predict()
		for _, cfg := range bsptest.Configs(p.Procs) {
			err := bsptest.Try(t, mapped(t, cfg, seed), func(b *bsplib.Proc, s *randprog.State) error { return p.Run(b, s, want) })
			if err != nil {
				t.Fatalf("%s: %v\nagain: go test ./bsplib -run StartAnywhere -seed %d", bsptest.Describe(cfg), err, seed-2000)
			}
		}
	}
}

// A run is restarted from a checkpoint with another mapping, with some ranks empty.
func TestRestartWithMapping(t *testing.T) {
	bsptest.InProcess(t)
	dir := t.TempDir()
	cfg := bsplib.Config{Procs: 7, Ranks: 3, Checkpoint: &bsplib.Checkpoint{Dir: dir, Trigger: asked()}}
	if err := bsptest.Try(t, mapped(t, cfg, 1), passOn(9)); !errors.Is(err, bsplib.ErrCheckpointed) {
		t.Fatal(err)
	}
	cfg = bsplib.Config{Procs: 7, Ranks: 5, Checkpoint: &bsplib.Checkpoint{Dir: dir, Restart: dir}}
	must.Do(t, bsptest.Try(t, mapped(t, cfg, 2), passOn(9)))
}

// An invalid mapping ends the run before the program begins, on all ranks and with one error.
func TestStartRefused(t *testing.T) {
	bsptest.InProcess(t)
	name := filepath.Join(t.TempDir(), "m.csv")
	must.Write(t, name, "map,0,nowhere\n", 0o600)
	err := bsptest.Try(t, bsplib.Config{Procs: 4, Ranks: 3, Start: name}, func(*bsplib.Proc, *struct{}) error {
		return errors.New("the program has begun")
	})
	if want := "the initial mapping: " + name + `:1:7: "nowhere": expected a host of this run: `; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	code, out, stderr := toldBy(t, "-start m -procs 4 -ranks 2", "", map[string]string{"m": "map,0,a\nmap,0,a\n"})
	if code != 2 || out != "" || !strings.HasPrefix(stderr, "program: -start m: m:1:7: \"a\": expected a host of this run: ") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("code %d, %q, %q", code, out, stderr)
	}
	code, out, stderr = toldBy(t, "-start speed", "", nil)
	if want := "program: -start speed: no such file; expected auto, blocks, speeds, or a mapping file; did you mean speeds? (see program -help)\n"; code != 2 || out != "" || stderr != want {
		t.Errorf("code %d, %q, %q, want %q", code, out, stderr, want)
	}
}

// A wrong initial mapping is corrected: all processes on the slow host, as if loads were different.
func TestWrongStartIsCorrected(t *testing.T) {
	bsptest.InProcess(t)
	name := filepath.Join(t.TempDir(), "m.csv")
	var text strings.Builder
	for pid := range 8 {
		fmt.Fprintf(&text, "map,%d,b\n", pid)
	}
	must.Write(t, name, text.String(), 0o600)
	cfg := bsplib.Config{Procs: 8, Platform: platform(t, unequal), Start: name, Balance: balance(t, "auto")}.WithWork(milliseconds(10))
	h := recorded(t, cfg, passOn(200))
	if e := h.End.Emulation; len(h.Moves) == 0 || e.Gain() < 0.5 {
		t.Errorf("%d moves; %.3f of the time saved of %.3f possible", len(h.Moves), e.Gain(), e.Possible())
	}
	if got := countsOf(h.Account.Run().Mapping.Where(), 2); !slices.Equal(got, []int{0, 8}) {
		t.Errorf("begins with %v processes by rank", got)
	}
}

// computeOnly computes for a few milliseconds in each of few stages, and sends no messages.
func computeOnly(b *bsplib.Proc, _ *none) error {
	x := 1.0
	for range b.Stages(10) {
		for range 4_000_000 {
			x = x*0.999 + 1
		}
		b.Sync()
	}
	if x == 0 {
		b.Abort("no work")
	}
	return nil
}

// wrongHints describes computeOnly as a program that mostly sends, and so starts on one host.
func wrongHints(procs int) bsplib.Work {
	return bsplib.Work{Amount: float64(procs) * 0.05, Unit: "s", PerSecond: 1, Supersteps: 10, Sent: 1e9}
}

// The first call comes after the first observed stage if hints have chosen the start: it corrects wrong
// hints in a run of few stages.
func TestWrongHintsAreCorrected(t *testing.T) {
	bsptest.InProcess(t)
	t.Parallel()
	code, stdout, stderr := toldBy(t, "-procs 8 -hosts h -why", "", map[string]string{"h": unequal}, "hinted")
	why, began := regexp.MustCompile(`call 1 after superstep (\d+)`).FindStringSubmatch(stderr), strings.Contains(stdout, "by the program's hints: 8 processes on a")
	if code != 0 || !began || why == nil || why[1] > "3" || strings.Contains(stdout, " 0 moves") {
		t.Errorf("code %d, starts by hints: %v, first call: %q\n%s\n%s", code, began, why, stdout, stderr)
	}
}

// unequalWork describes process 0 as having half of all work.
func unequalWork(procs int) bsplib.Work {
	return bsplib.Work{Amount: 1, Unit: "s", PerSecond: 1, Supersteps: 1, Share: func(pid int) float64 {
		if pid == 0 {
			return float64(procs - 1)
		}
		return 1
	}}
}

// Processes of unequal work start in unequal blocks, also on ranks of equal capacity.
func TestStartOfUnequalWork(t *testing.T) {
	bsptest.InProcess(t)
	t.Parallel()
	for args, want := range map[string]string{"": "process 1 on rank 1\n", "-start blocks": "process 1 on rank 0\n"} {
		if code, stdout, stderr := toldBy(t, "-procs 8 -quiet "+args, "", nil, "unequal"); code != 0 || stdout != want {
			t.Errorf("%s: code %d, %q, %q, want %q", args, code, stdout, stderr, want)
		}
	}
}
