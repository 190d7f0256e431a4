package main

import (
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/pages"
	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Figures of a summary are as counted one by one.
func TestSummary(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 60; n += 7 {
		saved := make([]float64, n)
		for i := range saved {
			saved[i] = random.NormFloat64() / 10
		}
		got := summarise(saved)
		sum, lose3, lose10, above := 0.0, 0, 0, 0
		for _, x := range saved {
			sum += x
			if x < -0.03 {
				lose3++
			}
			if x < -0.1 {
				lose10++
			}
			if x >= got.median {
				above++
			}
		}
		if math.Abs(got.mean-sum/float64(n)) > 1e-12 || got.worst != slices.Min(saved) || got.lose3 != lose3 || got.lose10 != lose10 || above != (n+1)/2 {
			t.Errorf("%v: %+v", saved, got)
		}
	}
	if got, want := standardError([]float64{1, 2, 3, 6}), math.Sqrt((4+1+0+9)/3./4); math.Abs(got-want) > 1e-12 {
		t.Errorf("standard error %g, want %g", got, want)
	}
	if got := standardError([]float64{1}); !math.IsInf(got, 1) {
		t.Errorf("standard error of one sample: %g", got)
	}
}

// Over-fitting is a difference of more than two standard errors in favour of seeds for tuning.
func TestVerdict(t *testing.T) {
	tuning := []float64{0.5, 0.3, 0.4, 0.2}
	shifted := func(by ...float64) (all []float64) {
		for i, x := range by {
			all = append(all, tuning[i]-x)
		}
		return all
	}
	const over, within, other = "OVER-FITTING", "within two standard errors", "in favour of unseen seeds"
	for _, c := range []struct {
		unseen []float64
		want   string
	}{
		{shifted(0.1, 0.1, 0.11, 0.09), "10.0 points more on seeds for tuning than on those of batch \"fresh\" (standard error 0.4): OVER-FITTING"},
		{shifted(0.1, -0.1, 0.2, -0.15), within},
		{shifted(0, 0, 0, 0), within},
		{shifted(-0.1, -0.1, -0.11, -0.09), other},
	} {
		if got := savingsDiffer("fresh", tuning, c.unseen); !strings.Contains(got, c.want) {
			t.Errorf("%v: %s, want %s", c.unseen, got, c.want)
		}
	}
	for want, unseen := range map[string][]float64{over: {-0.1, -0.12, -0.1, -0.1}, within: {0.9, 0.9, -0.1, 0}} {
		if got := lossesDiffer("fresh", tuning, unseen); !strings.Contains(got, want) {
			t.Errorf("%v: %s, want %s", unseen, got, want)
		}
	}
	if got := lossesDiffer("fresh", []float64{-0.1, -0.1}, []float64{0.5, 0.5}); !strings.Contains(got, other) {
		t.Error(got)
	}
}

// Batches have no seed in common, and fresh seeds follow from the commit.
func TestBatches(t *testing.T) {
	s := settings{seeds: chosenSeeds{number: 3}, only: "jump", on: "equal"}
	all := must.Get(s.batches("0000010f"))(t)
	var spans []span
	for _, b := range all {
		spans = append(spans, b.seeds)
	}
	if want := []span{{1, 3}, {1001, 1003}, {10016, 10018}, {10016, 10018}}; !slices.Equal(spans, want) {
		t.Errorf("%v, want %v", spans, want)
	}
	if a, b := must.Get(freshSeed("65ebc90d"))(t), must.Get(freshSeed("65ebc9f"))(t); a == b {
		t.Errorf("two commits have seed %d", a)
	}
	if _, err := freshSeed("main"); err == nil {
		t.Error("a commit without digits has a seed")
	}
}

// A small comparison has a row for both strategies in each batch.
func TestUnseen(t *testing.T) {
	if _, err := pages.OpenHistory(t.Context(), testrun.Root(t)); err != nil {
		t.Skip("SKIPPED: ", err)
	}
	var out, said strings.Builder
	if code := program.Run(strings.Fields("-unseen -only jump -on equal -seeds 2 -quiet"), &out, &said); code != 0 {
		t.Fatal(said.String())
	}
	must.Have(t, out.String(), "1 to 2", "1001 to 1002", "fresh, second generator", "of batch \"held out\"", "on seeds of batch \"fresh, second generator\"")
	for _, name := range []string{ours, control} {
		if n := strings.Count(out.String(), "\n "+name+" "); n != 4 {
			t.Errorf("%s has %d rows:\n%s", name, n, out.String())
		}
	}
}

// Cases of the second generator are listed by shape, pattern and family, and the flags that a
// listed case has run it alone.
func TestSecondGenerator(t *testing.T) {
	run := func(args string) string {
		var out, said strings.Builder
		if code := program.Run(strings.Fields(args), &out, &said); code != 0 {
			t.Fatal(said.String())
		}
		return out.String()
	}
	whole := run("-loads second -seeds 5001-5003 -tries 0 -balance auto;percent -quiet")
	must.Have(t, whole, "in 3 cases, seeds 5001 to 5003 of the second generator", "seed 5002", "lose over 10 %")
	if strings.Contains(whole, "best that stays") {
		t.Errorf("-tries 0 has searched:\n%s", whole)
	}
	alone := run("-loads second -seeds 5002-5002 -each -balance auto -tries 0 -quiet")
	line := func(text, begin, in string) []string {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, begin) && strings.Contains(line, in) {
				return strings.Fields(line)
			}
		}
		t.Fatalf("no line %s with %s in\n%s", begin, in, text)
		return nil
	}
	saved := line(whole, " auto", "seed 5002")[1]
	if !slices.Contains(line(alone, " farm", "seed 5002"), saved) {
		t.Errorf("%s alone, saves other than %s", alone, saved)
	}
}

// The record has each case with all strategies.
func TestRecord(t *testing.T) {
	var out strings.Builder
	if code := program.Run(strings.Fields("-json -loads second -seeds 5001-5002 -tries 0 -balance auto;percent -quiet"), &out, io.Discard); code != 0 {
		t.Fatal(out.String())
	}
	if n := strings.Count(out.String(), `"unit":"part saved"`); n != 2*3 {
		t.Errorf("%d figures of two cases:\n%s", n, out.String())
	}
}
