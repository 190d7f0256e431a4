package page

import (
	"regexp"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// A job's comment says how the run ended, and fits.
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
		s := usual
		if c.change != nil {
			c.change(&s)
		}
		h := s.history(t)
		if c.later != nil {
			c.later(h)
		}
		text := tell.OfRecord(h).Brief()
		if !regexp.MustCompile(c.want).MatchString(text) || len(text) > 80 || strings.ContainsAny(text, "\n\"'`$\\") {
			t.Errorf("%s: %q (%d characters), want %s", c.name, text, len(text), c.want)
		}
	}
}
