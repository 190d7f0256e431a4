package ledger_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	. "github.com/migbsp/migbsp/ledger"
	. "github.com/migbsp/migbsp/ledger/ledgertest"
	"github.com/migbsp/migbsp/ledger/tell"
	. "github.com/migbsp/migbsp/ledger/tell/text"
)

// Four ranks in two Sets, two supersteps, worked out by hand.
func TestEfficiencyByHand(t *testing.T) {
	run := TwoRanks()
	run.Ranks = []Rank{{"a", 0, 1}, {"b", 0, 1}, {"c", 1, 1}, {"d", 1, 1}}
	run.Mapping = Mapping{{0, 2}, {1, 2}, {2, 2}, {3, 2}}
	step := func(n int, work ...time.Duration) *Step {
		s := &Step{First: n, Last: n, Count: 1, Site: "x", Ranks: 4, Work: work, WorkMax: work[0], WorkMin: work[0]}
		for _, w := range work {
			s.WorkMax, s.WorkMin, s.WorkSum = max(s.WorkMax, w), min(s.WorkMin, w), s.WorkSum+w
		}
		return s
	}
	b := AccountOf(run, step(1, 10, 20, 30, 40), step(2, 50, 20, 10, 40))
	b.Stop(120e-9)
	whole := b.Whole()
	// Work by rank: 60, 40, 40, 80; sum 220, mean 55; Sets' means 50 and 60; longest of each superstep 40 + 50.
	want := Efficiency{
		Parallel: 220.0 / (4 * 120), LoadBalance: 55.0 / 80, InSets: 60.0 / 80, BetweenSets: 55.0 / 60,
		Serialisation: 80.0 / 90, Capacity: 1, Transfer: 90.0 / 120,
	}
	got := b.Efficiency(&whole)
	for i, f := range got.Factors() {
		if w := want.Factors()[i]; math.Abs(f.Value-w.Value) > 1e-12 {
			t.Errorf("%s: %.6f, want %.6f", f.Name, f.Value, w.Value)
		}
	}
	if wrong := b.Check(); len(wrong) > 0 {
		t.Error(wrong)
	}
}

// Predictions of g and l never exceed the measured communication time.
func TestPredictionsAreNoMoreThanWasMeasured(t *testing.T) {
	for _, c := range []struct {
		machine Machine
		excess  float64
	}{
		{Machine{PerByte: 683e-9, L: 317e-6}, 1000}, {Machine{PerByte: 1.5e-9, L: 0.5e-6}, 2}, {Machine{PerByte: 0.5e-9, L: 0.5e-6}, 0},
	} {
		b := AccountOf(TwoRanks(), Sample(1, "x", 30*US, 10*US), Sample(2, "x", 10*US, 10*US))
		b.Machine = &c.machine
		b.Stop(50e-6)
		whole := b.Whole()
		got := b.Budget(&whole)
		if math.Abs(got.Transfer+got.Latency-2e-6) > 1e-12 || math.Abs(got.Excess-c.excess) > 1e-6*c.excess {
			t.Errorf("%v: %+v of 2 us measured", &c.machine, got)
		}
		if want := c.machine.PerByte * 1000 / c.machine.L; math.Abs(got.Transfer/got.Latency-want) > 1e-9*want {
			t.Errorf("%v: h g and S l are to one another as %g, want %g", &c.machine, got.Transfer/got.Latency, want)
		}
		var out strings.Builder
		WriteAccount(&out, tell.Of(b, nil), "full", "", Display{})
		if told := strings.Contains(strings.Join(strings.Fields(out.String()), " "), "times what communication took"); told != (c.excess > 0) {
			t.Errorf("%v:\n%s", &c.machine, out.String())
		}
	}
}

// An unexplained share above a tenth of the time is shown with its likely cause.
func TestCausesOfWhatIsUnexplained(t *testing.T) {
	for want, c := range map[string]struct {
		spoil   func(s *Step)
		elapsed float64
	}{
		"":                                      {func(*Step) {}, 43e-6},
		"outside of supersteps":                 {func(*Step) {}, 60e-6},
		"between the end of supersteps":         {func(s *Step) { s.Total += 10 * US }, 62e-6},
		"network or the cores":                  {func(s *Step) { s.Comm += 10 * US; s.Total += 10 * US; s.Ways[WithinNode] = 1000 }, 62e-6},
		"with nothing sent: a rank had no core": {func(s *Step) { s.Comm += 10 * US; s.Total += 10 * US }, 62e-6},
	} {
		entries := []Entry{TwoRanks()}
		for n := range 2 {
			s := Sample(n+1, "x", 20*US, 10*US)
			c.spoil(s)
			entries = append(entries, s)
		}
		b := AccountOf(entries...)
		b.Machine = &Machine{L: 1e-6}
		b.Stop(c.elapsed)
		if got := tell.Of(b, nil).Unexplained(); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Rounding to nanoseconds does not count as unexplained time.
func TestBudgetOfRoundedTimes(t *testing.T) {
	for elapsed, want := range map[float64]float64{40e-6 + 1e-9: 0, 40e-6 - 1e-9: 0, 40e-6 + 5e-9: 5e-9, 40e-6 - 5e-9: -5e-9} {
		b := AccountOf(TwoRanks(), Sample(1, "x", 40*US, 10*US))
		b.Stop(elapsed)
		whole := b.Whole()
		if got := b.Budget(&whole).Unexplained; math.Abs(got-want) > 1e-15 {
			t.Errorf("%g s: unexplained %g s, want %g s", elapsed, got, want)
		}
	}
}

// The identities hold for any run, and before its first move too.
func TestIdentitiesHold(t *testing.T) {
	for seed := range uint64(50) {
		b := AccountOf(Story(seed, 1+int(seed)*3)...)
		if wrong := b.Check(); len(wrong) > 0 {
			t.Errorf("seed %d: %q", seed, wrong)
		}
		if before := b.Before(); before == nil != (seed*3 < 9) {
			t.Errorf("seed %d: before the first move %v", seed, before)
		}
	}
}

// A figure that has been tampered with is found.
func TestBrokenIdentitiesAreFound(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		name  string
		spoil func(s *Step)
		say   string
	}{
		{"the longest work is less than a rank's", func(s *Step) { s.WorkMax /= 2 }, "serialisation"},
		{"the sum is not that of the ranks", func(s *Step) { s.WorkSum += time.Second }, "load balance * serialisation * capacity * transfer"},
		{"more work than time", func(s *Step) { s.WorkMax += time.Hour }, "transfer is"},
		{"supersteps longer than the run", func(s *Step) { s.Total += time.Hour }, "of"},
	} {
		entries := Story(uint64(random.IntN(100)), 25)
		for _, e := range entries {
			if s, ok := e.(*Step); ok {
				c.spoil(s)
			}
		}
		wrong := strings.Join(AccountOf(entries...).Check(), "\n")
		if !strings.Contains(wrong, c.say) {
			t.Errorf("%s: Check says %q, want something on %q", c.name, wrong, c.say)
		}
	}
	b := AccountOf(Story(1, 25)...)
	b.SitesSoFar()[0].Step.Count++
	if wrong := b.Check(); len(wrong) != 1 || !strings.Contains(wrong[0], "call sites") {
		t.Errorf("a call site has one superstep more: %q", wrong)
	}
	var out strings.Builder
	for _, table := range []string{"verdict", "full"} {
		out.Reset()
		WriteAccount(&out, tell.Of(b, nil), table, "", Display{})
		if strings.Count(strings.ToLower(out.String()), "these figures do not fit") != 1 {
			t.Errorf("-table %s does not say so:\n%s", table, out.String())
		}
	}
}

func TestFactor(t *testing.T) {
	for x, want := range map[float64]string{0: "0.00", 0.0001: "<0.001", 0.0042: "0.004", 0.00996: "0.01", 0.834: "0.83", 1: "1.00"} {
		if got := Factor(x); got != want {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
}
