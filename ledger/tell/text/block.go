package text

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// WriteAccount prints the end of a run below its result: the conclusions, in a few lines, and the
// table of the given name (see tell.Views). The table "full" has all: the time by part and by call
// site, the moves, and the possible gain. record is the directory of its record, or "".
func WriteAccount(w io.Writer, v *tell.View, table, record string, display Display) error {
	if table == "none" {
		return nil
	}
	out := &printer{w: w}
	writeConclusion(out, v, table, record, display)
	if out.err != nil || table == "verdict" {
		return out.err
	}
	out.line("")
	if table != "full" {
		return cmp.Or(out.err, WriteTable(w, v, table, display.Width))
	}
	writeFactors(out, v, display)
	out.line("")
	if err := cmp.Or(out.err, WriteTable(w, v, "sites", display.Width)); err != nil {
		return err
	}
	out.line("")
	writeCalls(out, v, display)
	writePossible(out, v, display)
	writeParts(out, v, display)
	for _, text := range v.Account.Warnings {
		out.sentence(display, display.alarm, "note: %s", text)
	}
	if wrong := v.Account.Check(); len(wrong) > 0 {
		out.sentence(display, display.alarm, "These figures do not fit together:")
		for _, text := range wrong {
			out.sentence(display, plain, " %s", text)
		}
	}
	return out.err
}

// writeFactors prints efficiencies and time budget side by side.
func writeFactors(out *printer, v *tell.View, display Display) {
	budget, before := v.Budget(), v.Before()
	right := []string{fmt.Sprintf("%-22s%10s%7s", "TIME"+v.Clock(), "s", "%")}
	for _, part := range budget.Parts() {
		seconds, percent := "-", "-"
		if v.Account.Machine != nil || !part.Predicted {
			seconds, percent = tell.PlainSeconds(part.Seconds), fmt.Sprintf("%.1f", 100*ledger.Share(part.Seconds, budget.Elapsed))
		}
		right = append(right, fmt.Sprintf(" %-21s%10s%7s", part.Name, seconds, percent))
	}
	left := []string{"EFFICIENCY"}
	if before != nil {
		left[0] = fmt.Sprintf("%-17s%12s%8s", left[0], "before move", "whole")
	}
	for i, f := range v.Efficiency.Factors() {
		name, was := strings.Repeat(" ", f.Depth)+f.Name, ""
		if before != nil {
			was = fmt.Sprintf("%.2f", before.Factors()[i].Value)
		}
		left = append(left, fmt.Sprintf("%-17s%12s%8.2f", name, was, f.Value))
	}
	if display.narrow() {
		left, right = append(append(left, ""), right...), nil
	}
	for i := range max(len(left), len(right)) {
		l, r := "", ""
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		text := strings.TrimRight(fmt.Sprintf(" %-38s  %s", l, r), " ")
		if i == 0 {
			text = display.bold(text)
		}
		out.line("%s", text)
	}
	if m := v.Account.Machine; m != nil {
		out.sentence(display, plain, "%s", m)
	} else {
		out.sentence(display, plain, "g and l are not known: what communication took is part of unexplained")
	}
	if budget.Excess > muchExcess {
		out.sentence(display, plain, "g and l predict %.3g times what communication took: h g and S l are what it took, divided as they say", budget.Excess)
	}
	if cause := v.Unexplained(); cause != "" {
		out.sentence(display, plain, "%s", cause)
	}
	if before != nil {
		out.sentence(display, plain, "before move: the first %s only; what comes later may be of another kind", ledger.Count(v.Account.Before().Step.Count, "superstep"))
	}
}

// writeParts prints the parts of a run that has gone on after losses.
func writeParts(out *printer, v *tell.View, display Display) {
	t := tell.Parts(v)
	if t == nil || out.err != nil {
		return
	}
	out.line("")
	out.sentence(display, display.bold, "PARTS")
	out.err = print(out.w, t, display.Width)
	out.sentence(display, plain, "Lost: noticing is from the last superstep to the report, ending until the launcher has ended, starting until the program runs again, repeated the work since the checkpoint.")
}

// muchExcess is the smallest Excess of a Budget that is printed.
const muchExcess = 1.1

// writePossible prints the bounds on the time that moves could still save.
func writePossible(out *printer, v *tell.View, display Display) {
	if e := v.Account.Emulation; e != nil {
		out.sentence(display, plain, "emulated on %s: %.5g s, without rescheduling %.5g s: %s", e.Platform, e.With, e.Without, e.Saved())
		out.sentence(display, plain, "lower bound: %.5g s (of each superstep the longest process or all work over all speed), at most %s can be saved",
			e.Least, ledger.Percent(e.Possible()))
		return
	}
	if s := &v.Whole.Step; s.WorkMax > 0 {
		out.sentence(display, plain, "lower bound: no mapping of these processes takes less than %s of work (max), now %s: %s of the time is left to even out",
			ledger.Seconds(s.Least), ledger.Seconds(s.WorkMax), ledger.Percent(ledger.Share(max(0, s.WorkMax-s.Least).Seconds(), v.Whole.Elapsed)))
	}
}

// mostShownCalls bounds the calls with moves that are printed.
const mostShownCalls = 10

// writeCalls prints the calls that moved something, and one line on all.
func writeCalls(out *printer, v *tell.View, display Display) {
	c := v.Account.Calls()
	if c.Calls == 0 || out.err != nil {
		return
	}
	out.sentence(display, display.bold, "%s", heading(c))
	if c.Moving > mostShownCalls {
		out.line(" The last %d of them:", mostShownCalls)
	}
	if c.Moving > 0 && out.err == nil {
		out.err = print(out.w, v.Calls(mostShownCalls), display.Width)
	}
	text := fmt.Sprintf("Spent: %s on calls (%d messages, %s)", ledger.SecondsOf(c.DecideTime), c.Messages, ledger.Bytes(c.Talk))
	if c.Moves > 0 {
		text += fmt.Sprintf(", %s on moving %s", ledger.SecondsOf(c.MoveTime), ledger.Bytes(c.Bytes))
	}
	out.sentence(display, plain, "%s.", text)
	if saving, spent, known := v.Account.Saving(); known {
		net := saving.Gross() - spent
		text := fmt.Sprintf("Saved: %s net", ledger.SecondsOf(net))
		if net < 0 {
			text = fmt.Sprintf("Lost: %s net", ledger.SecondsOf(-net))
		}
		if saving.Error > 0 {
			text += ", give or take " + ledger.SecondsOf(saving.Error)
			if v.Gain.Doubtful() {
				text = "Not sure whether moves paid. " + text
			}
		}
		out.sentence(display, plain, "%s: without calls and moves the run would have taken %s.", text, ledger.SecondsOf(v.Whole.Elapsed+net))
	} else if c.Judged > 0 {
		out.sentence(display, plain, "Saved: %s in the %s in which the moves of %s were judged; %s predicted for these.",
			ledger.SecondsOf(c.Realised), ledger.Count(c.Seen, "superstep"), ledger.Count(c.Judged, "call"), ledger.SecondsOf(c.Predicted))
	}
	if text := v.Predictions(); text != "" {
		out.sentence(display, plain, "%s", text)
	}
}

// heading returns the numbers of calls and moves, in words.
func heading(c *ledger.Calls) string {
	calls := ledger.Count(c.Calls, "rescheduling call")
	if c.Moving == 0 {
		return fmt.Sprintf("MIGRATIONS none: %s, %d with all ranks balanced", calls, c.Balanced)
	}
	text := fmt.Sprintf("MIGRATIONS %d in %d of %s", c.Moves, c.Moving, calls)
	if kept := c.Calls - c.Moving; kept > 0 {
		text += fmt.Sprintf("; %d moved nothing, %d of these with all ranks balanced", kept, c.Balanced)
	}
	return text
}
