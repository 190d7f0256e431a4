package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/sim"
)

func TestAlternatives(t *testing.T) {
	for text, want := range map[string][]string{
		"":                {""},
		"lbm":             {"lbm"},
		"lu:n=500,p=25":   {"lu:n=500,p=25"},
		"lu:n=1|2,p=3|4":  {"lu:n=1,p=3", "lu:n=1,p=4", "lu:n=2,p=3", "lu:n=2,p=4"},
		"lu|dp:n=10":      {"lu:n=10", "dp:n=10"},
		"percent|auto":    {"percent", "auto"},
		"auto,alpha=2|4":  {"auto,alpha=2", "auto,alpha=4"},
		"a,b=1|2|3, c=4|": nil,
		"lu:n=|500":       nil,
	} {
		got, err := alternatives(text)
		if want == nil && err == nil || want != nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"lu:n=500|,p=25":                     `"lu:n=500|,p=25": column 10: expected a value on each side of |`,
		"lu:n=|500":                          `column 6: expected a value`,
		"lu:n=1||2":                          `column 8: expected a value`,
		"x:" + strings.Repeat("a=1|2,", 20):  "column 99: that makes more than 100000 cases",
		"lu:n=1|2;" + strings.Repeat("|", 1): `"|": column 1: expected a value`,
	} {
		if _, err := listed(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
	if got, err := listed("percent,alpha=2|4; auto"); err != nil || !slices.Equal(got, []string{"percent,alpha=2", "percent,alpha=4", "auto"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// The alternatives of a text are those that a plain search for | finds.
func FuzzAlternatives(f *testing.F) {
	f.Add("lu:n=500|1000,p=25|50")
	f.Add("percent|auto,alpha=2|4|8")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := alternatives(text)
		if err != nil {
			return
		}
		want, parts := 1, strings.FieldsFunc(text, func(r rune) bool { return r == ':' || r == ',' })
		for _, part := range parts {
			_, figure, found := strings.Cut(part, "=")
			if !found {
				figure = part
			}
			want *= 1 + strings.Count(figure, "|")
		}
		if len(got) != want {
			t.Errorf("%q stands for %q", text, got)
		}
		if want == 1 && got[0] != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}

func TestSimulateSweeps(t *testing.T) {
	args := []string{
		"simulate", "-platform", testPlatform, "-workload", "lu:n=60|100,p=10|20", "-balance", "percent,alpha=2|4;auto",
		"-mapping", "contiguous,cpu",
	}
	lines := inJSON[[]simulated](t, args...)
	if len(lines) != 2*2*2*(1+2*3) {
		t.Fatalf("%d lines", len(lines))
	}
	for i, l := range lines {
		load := fmt.Sprintf("lu:n=%d,p=%d", []int{60, 100}[i/28], []int{10, 20}[i/14%2])
		mapping := []string{"contiguous", "cpu"}[i/7%2]
		balance := []string{"off", "percent,alpha=2", "percent,alpha=2", "percent,alpha=4", "percent,alpha=4", "auto", "auto"}[i%7]
		scenario := []string{"i", "ii", "iii", "ii", "iii", "ii", "iii"}[i%7]
		if l.Workload != load || l.Mapping != mapping || l.Balance != balance || l.Scenario != scenario {
			t.Errorf("line %d: %+v, want %s, %s, %s, %s", i, l, load, mapping, balance, scenario)
		}
		if want := 1 - l.Time/lines[i/7*7].Time; l.Saved != want {
			t.Errorf("line %d saves %g, want %g", i, l.Saved, want)
		}
	}
	if again := inJSON[[]simulated](t, args...); !reflect.DeepEqual(again, lines) {
		t.Errorf("another time it is\n%+v", again)
	}
	must.Have(t, prints(t, args...), "SIMULATED: 8 workloads and mappings on 174 hosts in 5 Sets. Times", " workload ", " mapping ", " lu:n=100,p=20  cpu ")
	if out := prints(t, "simulate", "-platform", testPlatform, "-workload", "lu:n=60,p=10", "-scenario", "i", "-format", "csv"); !strings.HasPrefix(out, "workload,mapping,scenario,balance,time") || !strings.Contains(out, "\n\"lu:n=60,p=10\",contiguous,i,off,") {
		t.Errorf("%s", out)
	}
}

func TestSimulateSweepsThatAreWrong(t *testing.T) {
	refuses(t, "simulate -platform "+testPlatform, []refusal{
		{"-workload dp:n=10|", 2, `-workload: "dp:n=10|": column 9: expected a value on each side of |`},
		{"-workload dp:n=10|x", 2, "workload dp:n=x: n=x: expected a whole number"},
		{"-workload dp:n=10 -balance auto,alpha=|2", 2, `-balance: "auto,alpha=|2": column 12`},
		{"-workload dp:n=10 -balance auto;fast", 2, "-balance: "},
		{"-workload dp:n=10 -mapping cpu,best", 2, `there is no "best"`},
		{"-workload dp:n=10|20 -export x.csv", 2, "there are 2 workloads and mappings; expected one"},
	})
}

func someCases(n int) []*simulatedCase {
	var cases []*simulatedCase
	for i := range n {
		cases = append(cases, &simulatedCase{placedLoad: &placedLoad{workload: fmt.Sprint("w", i), mapping: "cpu"}, scenario: "iii", balance: "auto"})
	}
	return cases
}

// The error names the first failed case, regardless of the order of failures; the cases before it
// end.
func TestSweepNamesWhatFails(t *testing.T) {
	for range 50 {
		cases := someCases(20)
		var ended atomic.Int64
		_, err := sweep(t.Context(), cases, func(ctx context.Context, c *simulatedCase) (*sim.Result, error) {
			if i := slices.Index(cases, c); i >= 7 {
				return nil, fmt.Errorf("case %d fails", i)
			}
			ended.Add(1)
			return new(sim.Result), nil
		})
		if want := "workload w7, mapping cpu, scenario iii with auto: case 7 fails"; err == nil || err.Error() != want || ended.Load() != 7 {
			t.Fatalf("%v, want %s; %d ended well", err, want, ended.Load())
		}
	}
}

// An interrupted sweep does not wait for cases that never end.
func TestSweepEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		never := make(chan struct{})
		defer close(never)
		results, err := sweep(ctx, someCases(3), func(context.Context, *simulatedCase) (*sim.Result, error) {
			cancel()
			<-never
			return nil, nil
		})
		if results != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%v, %v", results, err)
		}
	})
}

func TestProgressInWords(t *testing.T) {
	p := &progress{cases: 4, parts: 200, of: "supersteps"}
	p.ended.Store(1)
	p.done.Store(50)
	if got, want := p.line(time.Minute), "1 of 4 simulated, 25% of the supersteps, about 3m0s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := p.bar(8), "[##......]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.done.Store(200)
	if got := p.line(time.Minute); strings.Contains(got, "left") {
		t.Errorf("%q", got)
	}
}
