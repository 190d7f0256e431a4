package main

import (
	"math"
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
				if got := len(cfg.Result.Details); got != 3 {
					t.Errorf("%d numbers", got)
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

func TestFitFindsTheLine(t *testing.T) {
	apptest.Set(t, "words", "320")
	var seconds []float64
	for k := range points {
		seconds = append(seconds, 3e-6+2e-9*float64(size(k)))
	}
	if gap, latency := fit(seconds); math.Abs(gap-2e-9) > 1e-18 || math.Abs(latency-3e-6) > 1e-15 {
		t.Errorf("%g, %g", gap, latency)
	}
	if gap, latency := fit([]float64{5}); gap != 0 || latency != 5 {
		t.Errorf("%g, %g", gap, latency)
	}
}

func TestWhatCannotBe(t *testing.T) {
	for _, c := range [][3]string{
		{"words", "0", "-n 0: expected a number from 1 to 1048576"},
		{"repeats", "0", "-repeats 0: at least one is needed"},
		{"vector", "-3", "-vector -3: expected a number from 1 to"},
	} {
		t.Run(c[0], func(t *testing.T) {
			apptest.Set(t, c[0], c[1])
			if err := check(1); err == nil || !strings.Contains(err.Error(), c[2]) {
				t.Errorf("%v, want %q", err, c[2])
			}
		})
	}
}
