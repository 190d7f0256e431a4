package ledger

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// WriteResult prints what the run computed and on what, in the form that NPB and
// HPL have made usual. brief leaves out what is not the program's own.
func (a *Account) WriteResult(w io.Writer, display Display, brief bool) error {
	out := &printer{w: w}
	r := a.Result
	if brief {
		if r == nil {
			return nil
		}
		out.line("%s", strings.TrimSpace(r.Title+"  "+r.Size))
		if r.Seconds > 0 {
			text := fmt.Sprintf("time      %.4g s%s", r.Seconds, a.clock())
			if rate, unit := r.rate(1); unit != "" {
				text += ", " + rate + " " + unit
			}
			out.line("%s", text)
		}
	} else {
		out.line(" %s  %s", display.bold(a.title()), a.Run.Started.UTC().Format(time.RFC3339))
		out.pairs(display, a.facts())
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
		out.line("%s", c.String())
	}
	if r.Checksum != "" {
		out.line("checksum  %s", r.Checksum)
	}
	return out.err
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
	facts := []Detail{{"Size", r.Size}, {"Processes", fmt.Sprint(a.Run.Procs)}, {"Supersteps", fmt.Sprint(t.Count)}, {"Ranks", a.ranksText()}}
	if r.Seconds > 0 {
		facts = append(facts, Detail{"Time in seconds", fmt.Sprintf("%.4g%s", r.Seconds, a.clock())})
	}
	facts = append(facts, Detail{"Elapsed seconds", fmt.Sprintf("%.4g%s", t.Elapsed, a.clock())})
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
	case r.Passed():
		return "SUCCESSFUL"
	default:
		return "UNSUCCESSFUL"
	}
}

// ranksText says how many ranks there are and in which Sets.
func (a *Account) ranksText() string {
	text := fmt.Sprint(len(a.Run.Ranks))
	if len(a.Run.Sets) < 2 {
		return text
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
	return fmt.Sprintf("%s in %d Sets (%s)", text, len(count), strings.Join(parts, ", "))
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
	verdict := "PASSED"
	if !c.Passed {
		verdict = "FAILED"
	}
	limit := ""
	if c.Limit != 0 {
		limit = fmt.Sprintf(" (limit %.4g)", c.Limit)
	}
	return fmt.Sprintf("check     %s = %.4g%s  %s", c.Name, c.Value, limit, verdict)
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
