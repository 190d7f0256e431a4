package ledger

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// WriteResult prints what the run computed and on what. How much depends on the table that
// is wanted of its account: with "none" what is the program's own, with "full" all that is
// known, in the form that NPB and HPL have made usual, and else no more than 8 lines.
func (a *Account) WriteResult(w io.Writer, display Display, table string) error {
	out := &printer{w: w}
	r := a.Result
	switch {
	case table == "none":
		if r == nil {
			return nil
		}
		out.line("%s", Printable(strings.TrimSpace(r.Title+"  "+r.Size)))
		if r.Seconds > 0 {
			text := fmt.Sprintf("time      %s s%s", plainSeconds(r.Seconds), a.clock())
			if rate, unit := r.rate(1); unit != "" {
				text += ", " + rate + " " + unit
			}
			out.line("%s", Printable(text))
		}
	case table == "full":
		out.line(" %s  %s", display.bold(Printable(a.title())), a.Run.Started.UTC().Format(time.RFC3339))
		for _, line := range pairs(display, a.facts()) {
			out.line("%s", line)
		}
	default:
		a.writeShortResult(out, display)
		return out.err
	}
	if r == nil {
		return out.err
	}
	for _, t := range r.Tables {
		if out.line(" %s", t.Title); out.err == nil {
			out.err = WriteRows(w, t.Header, t.Rows, t.Text...)
		}
	}
	for _, c := range r.Checks {
		out.line("%s", Printable(c.String()))
	}
	if r.Checksum != "" {
		out.line("checksum  %s", Printable(r.Checksum))
	}
	return out.err
}

// writeShortResult prints the result in at most resultLines lines: checks that have failed
// come first, and the last details and checks are left out.
func (a *Account) writeShortResult(out *printer, display Display) {
	r := a.Result
	if r == nil {
		r = &Result{}
	}
	head := a.title()
	if r.Size != "" {
		head += ", " + r.Size
	}
	out.sentence(display, display.bold, "%s", head)
	out.sentence(display, plain, "%s on %s, -balance %s", Count(a.Run.Procs, "process"), Count(len(a.Run.Ranks), "rank")+a.setsText(), a.Run.Strategy)
	left := resultLines - 3 // these two and the checksum
	checks := slices.Clone(r.Checks)
	slices.SortStableFunc(checks, func(a, b Check) int { return cmp.Compare(passed(a), passed(b)) })
	more := max(0, len(checks)-(left-1))
	if more == 1 {
		more = 0
	}
	checks = checks[:len(checks)-more]
	left -= len(checks)
	if more > 0 {
		left--
	}
	details := pairs(display, r.Details)
	for _, line := range details[:min(len(details), left)] {
		out.line("%s", line)
	}
	for _, c := range checks {
		out.line("%s", Printable(c.String()))
	}
	if more > 0 {
		out.line("check     %d more: -table full", more)
	}
	if r.Checksum != "" {
		out.line("checksum  %s", Printable(r.Checksum))
	}
}

func passed(c Check) int {
	if c.Passed {
		return 1
	}
	return 0
}

// title says what ran.
func (a *Account) title() string {
	if a.Result != nil && a.Result.Title != "" {
		return a.Result.Title
	}
	return a.Run.Program
}

// facts returns the lines of the block's head.
func (a *Account) facts() []Detail {
	r := a.Result
	if r == nil {
		r = &Result{}
	}
	t := a.Whole()
	facts := []Detail{{"Size", r.Size}, {"Processes", fmt.Sprint(a.Run.Procs)}, {"Supersteps", fmt.Sprint(t.Step.Count)}, {"Ranks", fmt.Sprint(len(a.Run.Ranks)) + a.setsText()}}
	if r.Seconds > 0 {
		facts = append(facts, Detail{"Time in seconds", plainSeconds(r.Seconds) + a.clock()})
	}
	facts = append(facts, Detail{"Elapsed seconds", plainSeconds(t.Elapsed) + a.clock()})
	if rate, unit := r.rate(1); unit != "" {
		facts = append(facts, Detail{unit + " total", rate})
		rate, unit = r.rate(len(a.Run.Ranks))
		facts = append(facts, Detail{unit + " per rank", rate})
	}
	facts = append(facts, Detail{"Balancing", a.Run.Strategy})
	if a.Run.Job != "" {
		facts = append(facts, Detail{"Job", a.Run.Job})
	}
	facts = append(facts, r.Details...)
	facts = append(facts, Detail{"Verification", r.verification()})
	return facts
}

func (r *Result) verification() string {
	switch {
	case len(r.Checks) == 0:
		return "not performed"
	case !r.Passed():
		return "UNSUCCESSFUL"
	case r.Verdict() != "PASSED":
		return r.Verdict()
	}
	return "SUCCESSFUL"
}

// setsText says in which Sets the ranks are, "" where there is one.
func (a *Account) setsText() string {
	if len(a.Run.Sets) < 2 {
		return ""
	}
	count := make([]int, len(a.Run.Sets))
	for _, rank := range a.Run.Ranks {
		count[rank.Set]++
	}
	var parts []string
	for set, n := range count[:min(4, len(count))] {
		parts = append(parts, fmt.Sprintf("%s %d", a.Run.Sets[set].Name, n))
	}
	if more := len(count) - 4; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf(" in %d Sets (%s)", len(count), strings.Join(parts, ", "))
}

// rate returns the work per second of each of a number of parts, and its unit, which is
// "" if it is not known.
func (r *Result) rate(parts int) (value, unit string) {
	if !(r.Seconds > 0) || !(r.Work > 0) {
		return "", ""
	}
	x := r.Work / r.Seconds / float64(parts)
	prefix := ""
	for _, p := range []string{"k", "M", "G", "T", "P"} {
		if x < 1000 {
			break
		}
		x, prefix = x/1000, p
	}
	return fmt.Sprintf("%.4g", x), prefix + r.Unit + "/s"
}

// String returns one line on the check.
func (c Check) String() string {
	limit := ""
	if c.Limit != 0 {
		limit = fmt.Sprintf(" (limit %.4g)", c.Limit)
	}
	return fmt.Sprintf("check     %s = %.4g%s  %s", c.Name, c.Value, limit, c.Verdict())
}

// finite replaces what JSON has no words for.
func finite(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return math.MaxFloat64
	default:
		return max(-math.MaxFloat64, min(math.MaxFloat64, x))
	}
}

// Finite makes the result's figures such that they can be recorded: what is not
// a number becomes the largest there is.
func (r *Result) Finite() {
	r.Seconds, r.Work = finite(r.Seconds), finite(r.Work)
	for i := range r.Checks {
		r.Checks[i].Value, r.Checks[i].Limit = finite(r.Checks[i].Value), finite(r.Checks[i].Limit)
	}
}
