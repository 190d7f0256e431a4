package page

import (
	"regexp"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// varied returns the usual history with a change of its shape, and another one later; either may be nil.
func varied(t *testing.T, change func(*shape), later func(*ledger.History)) *ledger.History {
	t.Helper()
	s := usual
	if change != nil {
		change(&s)
	}
	h := s.history(t)
	if later != nil {
		later(h)
	}
	return h
}

// The sentence claims no more than the record shows.
func TestVerdict(t *testing.T) {
	judged := func(h *ledger.History, realised float64) {
		h.Account.Enter(&ledger.Outcome{Call: 9, Steps: 1, Predicted: 1, Realised: realised})
	}
	for _, c := range []struct {
		name      string
		change    func(s *shape)
		later     func(h *ledger.History)
		says, not string
	}{
		{"emulated", nil, nil, "of emulated time|saved|without calls and moves, at a cost of", "estimate"},
		{"emulated, longer", nil, func(h *ledger.History) { h.Account.Emulation.Without = h.Account.Emulation.With * 0.9 }, " calls lost|without calls and moves", "saved"},
		{"emulated, going on", func(s *shape) { s.going = true }, nil, "saved|an estimate|so far", "exact"},
		{"real", func(s *shape) { s.real = true }, nil, "saved|an estimate, not a comparison", "emulated"},
		{"saved nothing", func(s *shape) { s.real = true }, func(h *ledger.History) { judged(h, -1e3) }, "is not known", "saved -"},
		{"failed", nil, func(h *ledger.History) { h.End.Code, h.End.Reason = 1, "process 3: out of memory" }, "ended with code 1|process 3: out of memory", "took 6"},
		{"wrong", nil, func(h *ledger.History) { h.Account.Result.Checks[0].Passed = false }, "its result is WRONG", ""},
		{"damaged", nil, func(h *ledger.History) { h.Problems = []string{"a", "b"} }, "2 problems, so take the figures with care", ""},
	} {
		text := tell.OfRecord(varied(t, c.change, c.later)).Verdict()
		for _, want := range strings.Split(c.says, "|") {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q does not say %q", c.name, text, want)
			}
		}
		if c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s: %q says %q", c.name, text, c.not)
		}
	}
}

// The factor that is named is the smallest.
func TestVerdictNamesTheLimit(t *testing.T) {
	h := shape{seed: 1, steps: 30, ranks: 4, sets: 2, procs: 4, strategy: "off", real: true}.history(t)
	whole := h.Account.Whole()
	e := h.Account.Efficiency(&whole)
	if min(e.InSets, e.BetweenSets, e.Serialisation, e.Transfer) != e.BetweenSets {
		t.Fatalf("the made-up run is limited by something else: %+v", e)
	}
	if text := tell.OfRecord(h).Verdict(); !strings.Contains(text, "limited most by load balance between Sets") {
		t.Error(text)
	}
	h = shape{seed: 1, steps: 30, ranks: 4, sets: 1, procs: 4, strategy: "off", real: true}.history(t)
	if text := tell.OfRecord(h).Verdict(); !strings.Contains(text, "POP calls acceptable") {
		t.Error(text)
	}
}

// A job's comment has the outcome of the run, and fits.
func TestBrief(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(s *shape)
		later  func(h *ledger.History)
		want   string // a regular expression
	}{
		{"emulated", nil, nil, `^[0-9.]+ m?s of emulated time, efficiency 0\.[0-9]+, [0-9]+ moves (saved|lost) [0-9.]+%, PASSED`},
		{"going on", func(s *shape) { s.going = true }, nil, `^NOT ENDED: [0-9.]+ m?s of emulated time so far, efficiency`},
		{"real", func(s *shape) { s.real = true }, nil, `^[0-9.]+ m?s, efficiency 0\.[0-9]+, [0-9]+ moves (saved|lost) about [0-9.]+ m?s, PASSED`},
		{"off", func(s *shape) { s.real, s.strategy = true, "off" }, nil, `^[0-9.]+ m?s, efficiency 0\.[0-9]+, `},
		{"failed", func(s *shape) { s.real = true }, func(h *ledger.History) { h.End.Code, h.End.Reason = 1, "process 3: \"$(rm)\"\n`x`" }, `^code 1 after [0-9.]+ m?s, .*`},
		{"reason", func(s *shape) { s.real = true }, func(h *ledger.History) {
			h.Account.Result, h.End.Code, h.End.Reason = nil, 1, "é \"$(rm)\"\n`x`"
		}, `^code 1 after [0-9.]+ m?s, \? \?\?\(rm\)\? \?x\?$`},
		{"wrong", nil, func(h *ledger.History) { h.Account.Result.Checks[0].Passed = false }, `, FAILED`},
		{"damaged", func(s *shape) { s.real = true }, func(h *ledger.History) { h.Problems, h.Account.Result = []string{"a"}, nil }, `, damaged record$`},
		{"too much", nil, func(h *ledger.History) { h.Account.Result.Checksum = strings.Repeat("f", 99) }, `f\.\.\.$`},
	} {
		text := tell.OfRecord(varied(t, c.change, c.later)).Brief()
		if !regexp.MustCompile(c.want).MatchString(text) || len(text) > 80 || strings.ContainsAny(text, "\n\"'`$\\") {
			t.Errorf("%s: %q (%d characters), want %s", c.name, text, len(text), c.want)
		}
	}
}
