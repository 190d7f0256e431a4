package page

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/migbsp/migbsp/ledger"
)

// briefLength is how many characters Brief has at most: a line of a terminal.
const briefLength = 80

// Brief is Verdict for a list of jobs: how long the run took, its parallel efficiency, what
// moving processes brought and what is known of the result, in one line of at most 80
// characters, none of which a shell or a batch system reads as anything but text.
func Brief(h *ledger.History) string {
	t := h.Whole()
	elapsed := seconds(t.Elapsed)
	if clock := h.Run.Clock(); clock != "" {
		elapsed += " of " + strings.ToLower(clock) + " time"
	}
	var parts []string
	switch {
	case h.End == nil:
		parts = append(parts, "NOT ENDED: "+elapsed+" so far")
	case h.End.Code != 0:
		parts = append(parts, fmt.Sprintf("code %d after %s", h.End.Code, elapsed), strings.TrimSpace(h.End.Reason))
	default:
		parts = append(parts, elapsed)
	}
	if h.End == nil || h.End.Reason == "" {
		if t.Count > 0 && t.Elapsed > 0 {
			parts = append(parts, "efficiency "+factor(h.Efficiency(&t).Parallel))
		}
		parts = append(parts, brought(h))
	}
	if r := h.Result; r != nil {
		parts = append(parts, resultOf(r))
	}
	if len(h.Problems) > 0 {
		parts = append(parts, "damaged record")
	}
	var b strings.Builder
	for _, part := range parts {
		switch {
		case part == "":
		case b.Len() == 0:
			b.WriteString(part)
		default:
			b.WriteString(", " + part)
		}
	}
	return cut(harmless(b.String()), briefLength)
}

// brought is what moving processes brought, in few words.
func brought(h *ledger.History) string {
	c := h.CallsSummary()
	switch {
	case c.Calls == 0:
		return ""
	case c.Moves == 0:
		return "0 moves"
	case h.Emulation != nil && h.Emulation.Without > 0:
		return fmt.Sprintf("%s saved %s", count(c.Moves, "move"), share(h.Emulation.Gain()))
	case c.Judged == 0:
		return count(c.Moves, "move")
	case c.Realised <= 0:
		return count(c.Moves, "move") + " saved nothing"
	}
	return fmt.Sprintf("%s saved about %s", count(c.Moves, "move"), seconds(c.Realised))
}

func resultOf(r *ledger.Result) string {
	return strings.TrimSpace(r.Verdict() + " " + r.Checksum)
}

// harmless has signs that mean something elsewhere replaced.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r), strings.ContainsRune("'\"`$\\", r):
			return '?'
		case r == 'µ', r == 'μ':
			return 'u'
		case r > unicode.MaxASCII:
			return '?'
		}
		return r
	}, text)
}

func cut(text string, length int) string {
	if len(text) <= length {
		return text
	}
	return text[:length-3] + "..."
}
