package page

import (
	"fmt"
	"strings"

	"github.com/migbsp/migbsp/ledger"
)

// Verdict says in one sentence what ran, how long, what limited it and what
// moving processes brought. It says no more than the record shows.
func Verdict(h *ledger.History) string {
	parts := []string{ran(h), limited(h), moved(h)}
	if n := len(h.Problems); n > 0 {
		parts = append(parts, fmt.Sprintf("the record has %s, so take the figures with care", count(n, "problem")))
	}
	return strings.Join(parts, "; ") + "."
}

// ran says what ran, where, and for how long.
func ran(h *ledger.History) string {
	t := h.Whole()
	where := "on " + count(len(h.Run.Ranks), "rank")
	if n := len(h.Run.Sets); n > 1 {
		where += fmt.Sprintf(" in %d Sets", n)
	}
	elapsed := seconds(t.Elapsed)
	if clock := h.Run.Clock(); clock != "" {
		elapsed += " of " + strings.ToLower(clock) + " time"
	}
	switch {
	case h.End == nil:
		return fmt.Sprintf("%s has not ended, or was killed: %s in %s so far %s", titleOf(h), count(t.Count, "superstep"), elapsed, where)
	case h.End.Code != 0:
		text := fmt.Sprintf("%s ended with code %d after %s %s", titleOf(h), h.End.Code, elapsed, where)
		if h.End.Reason != "" {
			text += " (" + strings.TrimSpace(h.End.Reason) + ")"
		}
		return text
	}
	text := fmt.Sprintf("%s took %s %s", titleOf(h), elapsed, where)
	if r := h.Result; r != nil && len(r.Checks) > 0 && !r.Passed() {
		text += ", and its result is WRONG"
	}
	return text
}

// titleOf names what ran, with its size.
func titleOf(h *ledger.History) string {
	r := h.Result
	switch {
	case r == nil || r.Title == "":
		return h.Run.Program
	case r.Size == "":
		return r.Title
	}
	return r.Title + " (" + r.Size + ")"
}

// limited names the factor of the parallel efficiency that costs most.
func limited(h *ledger.History) string {
	t := h.Whole()
	if t.Count == 0 || t.Elapsed == 0 {
		return "nothing is known of its efficiency"
	}
	e := h.Efficiency(&t)
	factors := []struct {
		name  string
		value float64
	}{
		{"load balance in Sets", e.InSets}, {"load balance between Sets", e.BetweenSets},
		{"serialisation: ranks take turns in being the slowest", e.Serialisation}, {"capacity: processors that were not granted while ranks had work", e.Capacity}, {"transfer: time outside of the work of the slowest ranks", e.Transfer},
	}
	if len(h.Run.Sets) == 1 {
		factors[0].name = "load balance"
	}
	worst := factors[0]
	for _, f := range factors {
		if f.value < worst.value {
			worst = f
		}
	}
	text := fmt.Sprintf("its parallel efficiency is %.2f", e.Parallel)
	if e.Parallel >= ledger.Acceptable {
		return text + ", which POP calls acceptable"
	}
	name, why, _ := strings.Cut(worst.name, ": ")
	if why != "" {
		return text + fmt.Sprintf(", limited most by %s, %.2f (%s)", name, worst.value, why)
	}
	return text + fmt.Sprintf(", limited most by %s, %.2f", name, worst.value)
}

// moved says what moving processes brought.
func moved(h *ledger.History) string {
	c := h.CallsSummary()
	switch {
	case c.Calls == 0:
		return fmt.Sprintf("no rescheduling call was made (%s)", h.Run.Strategy)
	case c.Moves == 0:
		return fmt.Sprintf("%s moved nothing", count(c.Calls, "rescheduling call")) + compared(h, ", and the run took %s %s than without calls (%s)")
	case h.Emulation != nil:
		return fmt.Sprintf("with %s in %s", count(c.Moves, "move"), count(c.Moving, "call")) + compared(h, " it took %s %s than the same work without calls and moves (%s)")
	case c.Judged == 0:
		return fmt.Sprintf("what its %s brought is not known, for too little came after them", count(c.Moves, "move"))
	}
	cost := c.DecideTime + c.MoveTime
	saved := "saved " + seconds(c.Realised)
	if c.Realised <= 0 {
		saved = "saved nothing"
	}
	text := fmt.Sprintf("%s in %s are estimated to have %s at a cost of %s for all calls and moves (an estimate from the supersteps before and after, not a comparison with a run without)",
		count(c.Moves, "move"), count(c.Moving, "call"), saved, seconds(cost))
	if c.Judged < c.Moving {
		text += fmt.Sprintf(", as far as %d of %d calls could be judged", c.Judged, c.Moving)
	}
	return text
}

// compared sets an emulated run beside the same work without calls and moves. It returns
// "" where that is not known.
func compared(h *ledger.History, format string) string {
	e := h.Emulation
	if e == nil || e.Without <= 0 {
		return ""
	}
	word, gain := "less", e.Gain()
	if gain < 0 {
		word, gain = "more", -gain
	}
	return fmt.Sprintf(format, share(gain), word, seconds(e.Without))
}
