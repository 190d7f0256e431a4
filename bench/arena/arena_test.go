package main

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/sim"
)

func TestWrongUse(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-seeds 0", "expected a number from 1 to 1000000, or FROM-TO"},
		{"-seeds 7-5", "expected FROM-TO with 1 to 1000000 seeds"},
		{"-seeds 0-5", "expected FROM-TO, two numbers from 1 on"},
		{"-seeds 1-x", "expected FROM-TO, two numbers from 1 on"},
		{"-seeds 1-2 -tuning", "-tuning -seeds FROM-TO: expected one of them"},
		{"-loads third", "-loads third: expected first or second"},
		{"-loads second -only jump", "no kind of load and platform has that in its name"},
		{"-ablation -loads second", "only seeds for tuning"},
		{"-parameters -seeds 5-6", "only seeds for tuning"},
		{"-unseen -loads second", "-unseen: expected neither -loads second nor -tuning nor -seeds FROM-TO"},
		{"-unseen -seeds 1-2", "-unseen: expected neither"},
		{"-unseen -ablation", "-unseen -ablation -parameters: expected one of them"},
		{"-on laptop", "no kind of load and platform has that in its name"},
		{"-only qr", "no kind of load and platform has that in its name"},
		{"-balance never", `there is no strategy "never"`},
		{"-ablation -parameters", "expected one of them"},
		{"-constant bank", "-constant: expected with -ablation or -parameters"},
		{"-tries -1", "-tries -1: expected a number from 0 on"},
		{"-adversary -1s", "-adversary -1s: expected a time to search for"},
		{"-duel hub", "expected KIND/PLATFORM/REACTION/SEED/FIGURES"},
		{"-duel hub/equal/none/1/0,0,0,0,0,0,-1", `"-1" is no figure`},
		{"-duel hub/moon/none/1/0,0,0,0,0,0,0", `there is no family of platforms "moon"`},
		{"simgrid -platform p.xml", "-platform and -workload: expected both or none"},
		{"simgrid more", `unexpected argument "more"`},
		{"scale -max 5", "expected 10 processes at least"},
		{"scale -sets two", `there is no "two"; there are one, cube, square`},
		{"scale -balance off", "off decides nothing"},
		{"scale -balance fast", `there is no strategy "fast"`},
		{"scale -rounds 0", "at least one"},
	} {
		var said strings.Builder
		if code := program.Run(strings.Fields(c.args), io.Discard, &said); code != 2 || !strings.Contains(said.String(), c.want) {
			t.Errorf("%s: code %d, %s", c.args, code, said.String())
		}
	}
}

// Cases follow from their seed: the same each time, others for another seed. Reported
// cases and those for tuning are disjoint.
func TestCasesAreThoseOfTheirSeed(t *testing.T) {
	for kind := range kinds {
		for platform := range platforms {
			first := must.Get(draw(kind, platform, 7))(t)
			again, _ := draw(kind, platform, 7)
			other, _ := draw(kind, platform, 8)
			if a, b := times(t, first), times(t, again); a != b {
				t.Errorf("%s takes %g s, and %g s the next time", first.name(), a, b)
			}
			if reflect.DeepEqual(first.config.Workload, other.config.Workload) {
				t.Errorf("%s is the same for seed 8", first.name())
			}
		}
	}
	number := chosenSeeds{number: reported - tuned}
	tuning, held := settings{seeds: number, tuning: true}, settings{seeds: number}
	if got, want := tuning.span(), (span{tuned, reported - 1}); got != want {
		t.Errorf("%v for tuning, want %v", got, want)
	}
	if got := held.span(); got.first != reported {
		t.Errorf("%v are reported, want them from %d on", got, reported)
	}
}

// times is how long the first supersteps of a case take without moves.
func times(t *testing.T, e *entry) float64 {
	t.Helper()
	l := *e.config.Workload.(*load)
	l.steps = min(l.steps, 20)
	config := e.config
	config.Workload = &l
	r, err := sim.Run(t.Context(), &config, sim.Report{})
	if err != nil || !(r.Time > 0) || math.IsInf(r.Time, 0) {
		t.Fatalf("%s: %v, %v", e.name(), r, err)
	}
	return r.Time
}

// A small arena has a row for each strategy and each kind, and a picture with all of them.
func TestSmallArena(t *testing.T) {
	var out, said strings.Builder
	picture := filepath.Join(t.TempDir(), "arena.svg")
	code := program.Run([]string{"-only", "jump", "-on", "equal", "-seeds", "1", "-tries", "20", "-balance", "auto;percent;greedy", "-each", "-plot", picture}, &out, &said)
	if code != 0 {
		t.Fatal(said.String())
	}
	drawn := must.Get(os.ReadFile(picture))(t)
	for _, want := range []string{"auto", "percent", "greedy", "best that stays", "at most"} {
		if strings.Count(out.String(), want) < 2 || !strings.Contains(string(drawn), want) {
			t.Errorf("%s is missing from tables or picture:\n%s", want, out.String())
		}
	}
	must.Have(t, out.String(), "SIMULATED", "jump on equal, seed 1001", "best other, chosen afterwards", "seeds 1001 to 1001, on which nothing was tuned")
}

// Taken apart, auto has a row for each ingredient, and for each constant one of half and
// double: those that are asked for, on the families and on examples.
func TestTakenApart(t *testing.T) {
	for args, want := range map[string][]string{
		"-ablation -constant bank -seeds 1":   {"nothing", "bank.on", "in 6 cases"},
		"-ablation -constant bank -on laptop": {"nothing", "bank.on", "in 1 cases"},
		"-parameters -constant due.callShare": {"due.callShare", "0.006", "part", "in 2 cases"},
	} {
		var out, said strings.Builder
		if code := program.Run(append(strings.Fields(args), "-only", "equal"), &out, &said); code != 0 {
			t.Fatal(said.String())
		}
		must.Have(t, out.String(), want...)
	}
}

// No run saves more than the bound allows.
func TestBoundHolds(t *testing.T) {
	s := settings{loads: generators[0], tries: 5}
	must.Do(t, parseAll(&s, "auto", "greedy"))
	for kind := range kinds {
		if kind%3 != 0 {
			continue
		}
		c := must.Get(s.contest(t.Context(), func() (*entry, error) { return draw(kind, kind%len(platforms), tuned) }))(t)
		for i, o := range c.outcomes {
			if o.saved > c.possible+1e-9 {
				t.Errorf("%s: %s saves %g of the time, at most %g are possible", c.entry.name(), s.balance[i], o.saved, c.possible)
			}
		}
		if c.static > c.possible+1e-9 || c.static < 0 || c.static < c.host {
			t.Errorf("%s: the best that stays saves %g, one host %g, at least nothing and at most %g are possible", c.entry.name(), c.static, c.host, c.possible)
		}
	}
}

// Cases with almost no possible saving do not count.
func TestReached(t *testing.T) {
	var all []*contest
	for _, saved := range [][2]float64{{0.4, 0.5}, {0.39, 0.5}, {-0.1, 0.2}, {-0.01, 0.019}, {0.1, 0.1}} {
		all = append(all, &contest{host: saved[0], possible: saved[1]})
	}
	got := reached(all, func(c *contest) float64 { return c.host }, func(c *contest) float64 { return c.possible }, "can be saved")
	if want := "Of what can be saved, auto saves at least 0.8 in 2 of 4 cases with something to save; a quarter of them is below 0.78, half below 0.80."; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
