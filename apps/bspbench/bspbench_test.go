package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/apps/internal/apptest"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/ledger"
)

// All words arrive, for any number of processes, also where they move.
func TestWordsArrive(t *testing.T) {
	apptest.Set(t, "repeats", "1", "vector", "1")
	for _, h := range []string{"1", "7", "64"} {
		apptest.Set(t, "words", h)
		for _, procs := range []int{1, 2, 3, 8} {
			checksum := ""
			for _, shake := range []bool{false, true} {
				cfg := bsplib.Config{Procs: procs, Ranks: min(procs, 2), Shake: shake, Result: &ledger.Result{}}
				if err := bsplib.Run(cfg, bspbench); err != nil {
					t.Errorf("h=%s on %d processes: %v %+v", h, procs, err, cfg.Result)
				}
				if got := len(cfg.Result.Details); got < 4 {
					t.Errorf("%d numbers", got)
				}
				for _, d := range cfg.Result.Details {
					if strings.Contains(strings.ReplaceAll(d.Value, "e-", ""), "-") || strings.Contains(d.Value, "NaN") || strings.Contains(d.Value, "Inf") {
						t.Errorf("%s = %s", d.Name, d.Value)
					}
				}
				if got := cfg.Result.Checksum; got == "" || checksum != "" && got != checksum {
					t.Errorf("h=%s on %d processes: checksum %s, before %s", h, procs, got, checksum)
				}
				checksum = cfg.Result.Checksum
			}
		}
	}
}

func TestWrongWordsAreFound(t *testing.T) {
	words := []float64{3, 4, 5} // from process 1 of 2
	right := arrived(words, 2, 0)
	words[1] = 5
	if wrong := arrived(words, 2, 0); right.Wrong != 0 || wrong.Wrong != 1 || wrong.Sum == right.Sum {
		t.Errorf("%+v, %+v", right, wrong)
	}
}

// A g that some turn has not found at all has no figure.
func TestNoFigureWithoutEvidence(t *testing.T) {
	for _, c := range []struct {
		e     estimate
		known bool
	}{{estimate{2e-9, 1e-9, 3e-9}, true}, {estimate{2e-9, 0, 3e-9}, false}} {
		for _, text := range []string{c.e.figure(1e9), c.e.text(1e9, "ns a word", 1e9)} {
			if strings.Contains(text, "flop") != c.known || strings.Contains(text, "not known") == c.known {
				t.Errorf("%+v: %s", c.e, text)
			}
		}
	}
}

// times returns the durations of six turns of supersteps, computed by a function of h and the turn.
func times(all []int, of func(h float64, turn int) float64) (seconds []float64) {
	for turn := range turns {
		for _, h := range all {
			seconds = append(seconds, of(float64(h), turn))
		}
	}
	return seconds
}

// l is the time of empty supersteps, and g the slope from p words on. Both match times on a line, and
// times off a line are reported as a bad fit.
func TestFiguresOfTimes(t *testing.T) {
	apptest.Set(t, "words", "320")
	for name, c := range map[string]struct {
		of     func(h float64, turn int) float64
		g, l   float64 // 0: not looked at
		within float64
		doubt  bool
	}{
		"a line":            {func(h float64, _ int) float64 { return 3e-6 + 2e-9*h }, 2e-9, 3e-6, 1e-9, false},
		"a bend at p":       {func(h float64, _ int) float64 { return 3e-6 + 2e-9*h + 1e-6*min(1, h/4) }, 2e-9, 3e-6, 1e-9, false},
		"one bad turn":      {func(h float64, turn int) float64 { return (3e-6 + 2e-8*h) * (1 + 0.4*float64(turn/5)) }, 2e-8, 3e-6, 0.01, false},
		"shorter with more": {func(h float64, _ int) float64 { return 3e-6 - 5e-9*h }, 0, 3e-6, 1e-9, true},
		"no line":           {func(h float64, turn int) float64 { return 3e-6 * (1 + math.Mod(h*37+float64(turn)*11, 7)) }, 0, 0, 0, true},
		"growing faster":    {func(h float64, _ int) float64 { return 1e-8 + 1e-10*h*h }, 0, 1e-8, 1e-9, true},
	} {
		all := sizes(4)
		m := measure(all, times(all, c.of), 4)
		if c.g > 0 && math.Abs(m.gap.middle-c.g) > c.within*c.g || c.l > 0 && math.Abs(m.latency.middle-c.l) > c.within*c.l {
			t.Errorf("%s: %+v", name, m)
		}
		if strings.HasPrefix(m.doubt(), "does not fit") != c.doubt {
			t.Errorf("%s: %q, %+v", name, m.doubt(), m)
		}
		for _, e := range []estimate{m.gap, m.latency, m.lines[0].gap, m.lines[0].latency, m.lines[1].gap, m.lines[1].latency} {
			if !(e.least >= 0) || e.middle < e.least || e.most < e.middle {
				t.Errorf("%s: %+v", name, e)
			}
		}
	}
}

// The sizes go from 0 to p and then to the largest, without duplicates.
func TestSizes(t *testing.T) {
	for _, longest := range []string{"1", "2", "7", "256", "100000"} {
		apptest.Set(t, "words", longest)
		for _, p := range []int{1, 2, 5, 64, 1000} {
			all := sizes(p)
			if all[0] != 0 || strconv.Itoa(all[len(all)-1]) != longest || len(all) > few+many+1 || !slices.IsSorted(all) {
				t.Errorf("-n %s on %d: %v", longest, p, all)
			}
			if m := measure(all, times(all, func(h float64, _ int) float64 { return 1e-6 + 1e-9*h }), p); math.Abs(m.gap.middle-1e-9) > 1e-15 {
				t.Errorf("-n %s on %d: %+v", longest, p, m)
			}
		}
	}
}

func TestWhatCannotBe(t *testing.T) {
	for _, c := range [][3]string{
		{"words", "0", "-n 0: expected a number from 1 to 1048576"},
		{"repeats", "0", "-repeats 0: at least one is needed"},
		{"vector", "-3", "-vector -3: expected a number from 1 to"},
	} {
		apptest.Wrong(t, func() error { return check(1) }, c[2], c[0], c[1])
	}
}
