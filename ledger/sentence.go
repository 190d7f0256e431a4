package ledger

import (
	"fmt"
	"strings"
	"unicode"
)

// elapsed returns the time of the run, with whose it is.
func (c *Conclusion) elapsed() string {
	text := secondsText(c.Elapsed)
	if c.Clock != "" {
		text += " of " + strings.ToLower(c.Clock) + " time"
	}
	return text
}

// Verdict says in one sentence what ran, how long, what limited it and what moving
// processes brought. It says no more than the record shows.
func (h *History) Verdict() string {
	c := h.Account.Conclude(h.End)
	parts := []string{c.ran(&h.Account.Run), c.limited(), c.moved(h.Account.Run.Strategy)}
	if n := len(h.Problems); n > 0 {
		parts = append(parts, fmt.Sprintf("the record has %s, so take the figures with care", Count(n, "problem")))
	}
	return strings.Join(parts, "; ") + "."
}

// ran says what ran, where, and for how long.
func (c *Conclusion) ran(run *Run) string {
	where := "on " + Count(len(run.Ranks), "rank")
	if n := len(run.Sets); n > 1 {
		where += fmt.Sprintf(" in %d Sets", n)
	}
	switch {
	case !c.Ended:
		return fmt.Sprintf("%s has not ended, or was killed: %s in %s so far %s", c.Title, Count(c.Steps, "superstep"), c.elapsed(), where)
	case c.Code != 0:
		text := fmt.Sprintf("%s ended with code %d after %s %s", c.Title, c.Code, c.elapsed(), where)
		if c.Reason != "" {
			text += " (" + c.Reason + ")"
		}
		return text
	}
	text := fmt.Sprintf("%s took %s %s", c.Title, c.elapsed(), where)
	if c.Wrong {
		text += ", and its result is WRONG"
	}
	return text
}

// limited names the factor of the parallel efficiency that costs most.
func (c *Conclusion) limited() string {
	if c.Efficiency == 0 {
		return "nothing is known of its efficiency"
	}
	text := "its parallel efficiency is " + Factor(c.Efficiency)
	if c.Limit.Name == "" {
		return text + ", which POP calls acceptable"
	}
	text += fmt.Sprintf(", limited most by %s, %s", c.Limit.Name, Factor(c.Limit.Value))
	if c.Limit.Why != "" {
		text += " (" + c.Limit.Why + ")"
	}
	return text
}

// moved says what moving processes brought.
func (c *Conclusion) moved(strategy string) string {
	g := &c.Gain
	did := "its " + movesIn(g.Moves, g.Moving, g.Calls)
	switch {
	case g.Calls == 0:
		return fmt.Sprintf("no rescheduling call was made (%s)", strategy)
	case g.Moves == 0:
		did = Count(g.Calls, "rescheduling call") + " moved nothing"
		if !g.Known {
			return did
		}
		did += " and"
	case !g.Known:
		return fmt.Sprintf("what its %s brought is not known", Count(g.Moves, "move"))
	}
	text := fmt.Sprintf("%s, at a cost of %s", g.brought(did, " of the "+secondsText(g.Without)+" without calls and moves"), secondsText(g.Cost))
	if g.Estimated {
		text += " (an estimate, not a comparison with a run without)"
	}
	return text
}

// briefLength is how many characters Brief has at most: a line of a terminal.
const briefLength = 80

// Brief is Verdict for a list of jobs: how long the run took, its parallel efficiency, what
// moving processes brought and what is known of the result, in one line of at most 80
// characters, none of which a shell or a batch system reads as anything but text.
func (h *History) Brief() string {
	c := h.Account.Conclude(h.End)
	var parts []string
	switch {
	case !c.Ended:
		parts = append(parts, "NOT ENDED: "+c.elapsed()+" so far")
	case c.Code != 0:
		parts = append(parts, fmt.Sprintf("code %d after %s", c.Code, c.elapsed()), c.Reason)
	default:
		parts = append(parts, c.elapsed())
	}
	if c.Reason == "" {
		if c.Efficiency > 0 {
			parts = append(parts, "efficiency "+Factor(c.Efficiency))
		}
		parts = append(parts, c.Gain.brief())
	}
	if r := h.Account.Result; r != nil {
		parts = append(parts, r.brief())
	}
	if len(h.Problems) > 0 {
		parts = append(parts, "damaged record")
	}
	var kept []string
	for _, part := range parts {
		if part != "" {
			kept = append(kept, part)
		}
	}
	text := harmless(strings.Join(kept, ", "))
	if len(text) > briefLength {
		text = text[:briefLength-3] + "..."
	}
	return text
}

// brief says what moving processes brought, in few words.
func (g *Gain) brief() string {
	switch {
	case g.Calls == 0:
		return ""
	case g.Moves == 0:
		return "0 moves"
	case !g.Known:
		return Count(g.Moves, "move")
	}
	return g.brought(Count(g.Moves, "move"), "")
}

func (r *Result) brief() string {
	return strings.TrimSpace(r.Verdict() + " " + r.Checksum)
}

// harmless returns text in which signs that mean something elsewhere are replaced.
func harmless(text string) string {
	text = strings.ReplaceAll(text, "±", "+-")
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
