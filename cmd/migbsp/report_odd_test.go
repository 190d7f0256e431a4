package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
)

// oddRun writes the record of a run whose supersteps take the given time, changed by change.
func oddRun(t *testing.T, dir string, ranks int, took time.Duration, change func(n int, s *ledger.Step), killed bool) {
	t.Helper()
	r := must.Get(ledger.Create(dir, func(err error) { t.Error(err) }))(t)
	run := &ledger.Run{Schema: ledger.Schema, Program: "odd", Engine: "in-process", Started: time.Unix(0, 0), Procs: ranks,
		Sets: []ledger.Set{{Name: "all"}}, Links: [][]ledger.Link{{{}}}, Strategy: "auto"}
	for rank := range ranks {
		run.Ranks = append(run.Ranks, ledger.Rank{Host: "a", Speed: 1})
		run.Mapping = append(run.Mapping, [2]int{rank, 1})
	}
	b := &ledger.Account{Recorder: r}
	b.Enter(run)
	const steps = 40
	for n := range steps {
		s := &ledger.Step{First: n + 1, Last: n + 1, Count: 1, Site: "a.go:1", At: time.Duration(n) * took, Ranks: ranks, H: 8 * int64(n%7), Talks: min(1, n%7), Comm: took / 4, Total: took}
		s.Ways[ledger.BetweenSets] = s.H
		for rank := range ranks {
			w := took / 2 / time.Duration(rank+1)
			s.Work, s.WorkMax, s.WorkMin, s.WorkSum = append(s.Work, w), max(s.WorkMax, w), w, s.WorkSum+w
		}
		s.Least, s.SlowestWork = s.WorkSum/time.Duration(ranks), s.WorkMax
		if change != nil {
			change(n, s)
		}
		b.Enter(s)
		if n == steps/2 {
			b.Enter(&ledger.Call{Number: 1, Step: n + 1, At: (time.Duration(n+1) * took).Seconds(), AlphaBefore: 4, AlphaAfter: 4, D: 0.5, Kept: "no move was found that pays"})
		}
	}
	b.Stop((steps * took).Seconds())
	b.Fit(nil)
	must.Do(t, r.Close(&ledger.End{At: (steps * took).Seconds(), Supersteps: steps, Machine: b.Machine}, nil))
	if !killed {
		return
	}
	name := filepath.Join(dir, ledger.RecordName)
	text, err := os.ReadFile(name)
	if err == nil {
		text = text[:bytes.LastIndexByte(text[:len(text)-1], '{')] // without its end
		err = os.WriteFile(name, text[:bytes.LastIndexByte(text, '\n')-30], 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// All output for the record of an odd run can be read: no figure is NaN, none overflows, and no
// time or share is negative.
func TestReportOfOddRuns(t *testing.T) {
	all := t.TempDir()
	for name, odd := range map[string]struct {
		ranks  int
		took   time.Duration
		change func(n int, s *ledger.Step)
		killed bool
	}{
		"supersteps of 0.2 us":  {ranks: 2, took: 200},
		"supersteps of an hour": {ranks: 3, took: time.Hour},
		"a nanosecond":          {ranks: 2, took: 1},
		"no time at all":        {ranks: 2},
		"one rank":              {ranks: 1, took: time.Millisecond},
		"no messages":           {ranks: 2, took: time.Millisecond, change: func(_ int, s *ledger.Step) { s.H, s.Talks, s.Ways = 0, 0, [ledger.Ways]int64{} }},
		"all within a rank":     {ranks: 2, took: time.Millisecond, change: func(_ int, s *ledger.Step) { s.Talks, s.Ways = 0, [ledger.Ways]int64{s.H} }},
		"nobody works": {ranks: 2, took: time.Millisecond, change: func(_ int, s *ledger.Step) {
			clear(s.Work)
			s.WorkMax, s.WorkMin, s.WorkSum, s.Least, s.SlowestWork = 0, 0, 0, 0, 0
		}},
		"nothing was granted":    {ranks: 2, took: time.Millisecond, change: func(_ int, s *ledger.Step) { s.Denied, s.DeniedSum, s.Least = s.WorkMax, s.WorkSum, 0 }},
		"a clock that goes on":   {ranks: 2, took: time.Millisecond, change: func(n int, s *ledger.Step) { s.At += time.Duration(n/20) * 100 * time.Hour }},
		"a clock that goes back": {ranks: 2, took: time.Millisecond, change: func(n int, s *ledger.Step) { s.At -= time.Duration(n/20) * 10 * time.Millisecond }},
		"killed":                 {ranks: 2, took: 600 * time.Millisecond, killed: true},
	} {
		oddRun(t, filepath.Join(all, name), odd.ranks, odd.took, odd.change, odd.killed)
	}
	wrong := regexp.MustCompile(`(?i)\bNaN\b|[+-]?\bInf\b|\d[eE]\+\d|%!|-\d[\d.]* ?%|-\d[\d.]* (ns|us|ms|s)\b`)
	dirs := must.Get(os.ReadDir(all))(t)
	for _, d := range dirs {
		dir := filepath.Join(all, d.Name())
		for _, args := range [][]string{
			{}, {"-verdict"}, {"-format", "json"}, {"-format", "csv"}, {"-format", "text", "-table", "full"}, {"-format", "text", "-table", "ranks"},
			{"-format", "text", "-table", "sets"}, {"-format", "text", "-table", "steps,width=120"}, {"-format", "csv", "-table", "steps"},
		} {
			code, out, problems := call(t, "", append([]string{"report", dir}, args...)...)
			if code != 0 || len(out) == 0 || wrong.MatchString(out) {
				t.Errorf("%s, report %q: code %d, %s: %q in\n%s", d.Name(), args, code, problems, wrong.FindAllString(out, 3), out)
			}
		}
		page, err := os.ReadFile(filepath.Join(dir, reportName))
		if err != nil || regexp.MustCompile(`NaN|[+-]Inf\b|%!`).Match(page) {
			t.Errorf("%s: the page: %v, %q", d.Name(), err, regexp.MustCompile(`.{0,40}(NaN|[+-]Inf\b|%!).{0,20}`).FindAll(page, 3))
		}
	}
	code, out, problems := call(t, "", "runs", all, "-format", "text")
	if code != 0 || strings.Count(out, "\n") != len(dirs) || wrong.MatchString(out) {
		t.Errorf("runs: code %d, %s:\n%s", code, problems, out)
	}
}
