package ledger

import (
	"cmp"
	"fmt"
	"io"
	"strings"
)

// WriteAccount prints the end of a run below its result: the conclusions, in a few lines,
// and the table of the given name (see Views). The table "full" stands for all there is:
// where the time went, by call site too, what moved, and what is left to gain. end is nil if
// the run has not ended, and record the directory of its record, "" if there is none.
func (a *Account) WriteAccount(w io.Writer, table string, end *End, record string, display Display) error {
	if table == "none" {
		return nil
	}
	out := &printer{w: w}
	a.writeConclusion(out, end, table, record, display)
	if out.err != nil || table == "verdict" {
		return out.err
	}
	out.line("")
	if table != "full" {
		return cmp.Or(out.err, a.WriteTable(w, table, display.Width))
	}
	a.writeFactors(out, display)
	out.line("")
	if err := cmp.Or(out.err, a.WriteTable(w, "sites", display.Width)); err != nil {
		return err
	}
	out.line("")
	a.writeCalls(out, display)
	a.writePossible(out, display)
	for _, text := range a.warnings {
		out.sentence(display, display.alarm, "note: %s", text)
	}
	if wrong := a.Check(); len(wrong) > 0 {
		out.sentence(display, display.alarm, "These figures do not fit together:")
		for _, text := range wrong {
			out.sentence(display, plain, " %s", text)
		}
	}
	return out.err
}

// writeFactors prints efficiencies and time budget side by side.
func (a *Account) writeFactors(out *printer, display Display) {
	t := a.Whole()
	whole, budget := a.Efficiency(&t), a.Budget(&t)
	var before *Efficiency
	if a.before != nil {
		e := a.Efficiency(a.before)
		before = &e
	}
	right := []string{fmt.Sprintf("%-22s%10s%7s", "TIME"+a.clock(), "s", "%")}
	for _, part := range budget.Parts() {
		if a.Machine == nil && part.Predicted {
			right = append(right, fmt.Sprintf(" %-21s%10s%7s", part.Name, "-", "-"))
			continue
		}
		right = append(right, fmt.Sprintf(" %-21s%10s%7.1f", part.Name, plainSeconds(part.Seconds), 100*share(part.Seconds, budget.Elapsed)))
	}
	left := []string{"EFFICIENCY"}
	if before != nil {
		left[0] = fmt.Sprintf("%-17s%12s%8s", left[0], "before move", "whole")
	}
	for i, f := range whole.Factors() {
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
	a.writeMachine(out, display)
	if budget.Excess > muchExcess {
		out.sentence(display, plain, "g and l predict %.3g times what communication took: h g and S l are what it took, divided as they say", budget.Excess)
	}
	if cause := a.UnexplainedCause(&t); cause != "" {
		out.sentence(display, plain, "%s", cause)
	}
	if before != nil {
		out.sentence(display, plain, "before move: the first %s only; what comes later may be of another kind", Count(a.before.Step.Count, "superstep"))
	}
}

// muchExcess is the Excess of a Budget from which on the reader is told.
const muchExcess = 1.1

// writeMachine prints g and l with their source.
func (a *Account) writeMachine(out *printer, display Display) {
	m := a.Machine
	if m == nil {
		out.sentence(display, plain, "g and l are not known: what communication took is part of unexplained")
		return
	}
	out.sentence(display, plain, "%s", m)
}

// writePossible prints the bounds on the time that moves could still save.
func (a *Account) writePossible(out *printer, display Display) {
	t := a.Whole()
	if e := a.Emulation; e != nil {
		out.sentence(display, plain, "emulated on %s: %.5g s, without rescheduling %.5g s: %s", e.Platform, e.With, e.Without, savedText(e.Gain()))
		out.sentence(display, plain, "lower bound: %.5g s (of each superstep the longest process or all work over all speed), at most %s can be saved",
			e.Least, percent(e.Possible()))
		return
	}
	if t.Step.WorkMax > 0 {
		out.sentence(display, plain, "lower bound: no mapping of these processes takes less than %s of work (max), now %s: %s of the time is left to even out",
			Seconds(t.Step.Least), Seconds(t.Step.WorkMax), percent(share(max(0, (t.Step.WorkMax-t.Step.Least)).Seconds(), t.Elapsed)))
	}
}

// savedText returns a part of the time that was saved, or lost.
func savedText(gain float64) string {
	if gain < 0 {
		return percent(-gain) + " lost"
	}
	return percent(gain) + " saved"
}

// Count returns a number of things, in words.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if strings.HasSuffix(thing, "ss") {
		thing += "e"
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// movesIn returns a number of moves and the calls that made them, of how many.
func movesIn(moves, moving, calls int) string {
	in := Count(calls, "call")
	if 0 < moving && moving < calls {
		in = fmt.Sprintf("%d of %s", moving, in)
	}
	return Count(moves, "move") + " in " + in
}

// mostShownCalls bounds the calls with moves that are printed.
const mostShownCalls = 10

// writeCalls prints the calls that moved something, and one line on all.
func (a *Account) writeCalls(out *printer, display Display) {
	c := &a.calls
	if c.count == 0 || out.err != nil {
		return
	}
	out.sentence(display, display.bold, "%s", c.heading())
	if c.moving > mostShownCalls {
		out.line(" The last %d of them:", mostShownCalls)
	}
	if c.moving > 0 && out.err == nil {
		out.err = a.callsView().print(out.w, display.Width)
	}
	text := fmt.Sprintf("Spent: %s on calls (%d messages, %s)", secondsText(c.took), c.messages, Bytes(c.talk))
	if c.moves > 0 {
		text += fmt.Sprintf(", %s on moving %s", secondsText(c.moved), Bytes(c.bytes))
	}
	out.sentence(display, plain, "%s.", text)
	if saving, spent, known := a.Saving(); known {
		net := saving.Gross() - spent
		text := fmt.Sprintf("Saved: %s net", secondsText(net))
		if net < 0 {
			text = fmt.Sprintf("Lost: %s net", secondsText(-net))
		}
		if whole := a.Whole(); saving.Error > 0 {
			text += ", give or take " + secondsText(saving.Error)
			if g := a.gain(&whole); g.Doubtful() {
				text = "Not sure whether moves paid. " + text
			}
		}
		out.sentence(display, plain, "%s: without calls and moves the run would have taken %s.", text, secondsText(a.Whole().Elapsed+net))
	} else if c.judged > 0 {
		out.sentence(display, plain, "Saved: %s in the %s in which the moves of %s were judged; %s predicted for these.",
			secondsText(c.realised), Count(c.seen, "superstep"), Count(c.judged, "call"), secondsText(c.predicted))
	}
	if text := a.Predictions(); text != "" {
		out.sentence(display, plain, "%s", text)
	}
}

// heading returns the numbers of calls and moves, in words.
func (c *callSum) heading() string {
	if c.moving == 0 {
		return fmt.Sprintf("MIGRATIONS none: %s, %d with all ranks balanced", Count(c.count, "rescheduling call"), c.balanced)
	}
	text := fmt.Sprintf("MIGRATIONS %d in %d of %s", c.moves, c.moving, Count(c.count, "rescheduling call"))
	if kept := c.count - c.moving; kept > 0 {
		text += fmt.Sprintf("; %d moved nothing, %d of these with all ranks balanced", kept, c.balanced)
	}
	return text
}

// callsView has the last calls that moved something.
func (a *Account) callsView() *view {
	v := &view{columns: []column{
		{"call", "call", false, 0}, {"step", "step", false, 0}, {"alpha", "alpha", false, 5}, {"moved", "moved", true, 4},
		{"bytes", "bytes", false, 3}, {"cost", "cost_s", false, 0}, {"seen", "seen_steps", false, 6},
		{"predicted", "predicted_s", false, 0}, {"realised", "realised_s", false, 0},
	}}
	last := a.calls.last
	last = last[max(0, len(last)-mostShownCalls):]
	for i := range last {
		c := &last[i]
		predicted, realised, seen := textCell("asked for"), textCell("-"), textCell("-")
		if c.Horizon > 0 {
			predicted, realised = textCell(secondsText(c.Forecast)+" to come"), textCell("not seen")
		}
		if b := c.Brought; b != nil {
			predicted, realised, seen = secondsCell(b.Predicted), secondsCell(b.Realised), intCell(b.Steps)
		} else if o := c.Outcome; o != nil {
			predicted, realised, seen = secondsCell(o.Predicted), secondsCell(o.Realised), intCell(o.Steps)
		}
		v.rows = append(v.rows, []cell{
			intCell(c.Number), intCell(c.Step), textCell(fmt.Sprintf("%d > %d", c.AlphaBefore, c.AlphaAfter)),
			textCell(listMoves(a.calls.lastMoves[c.Number], c.Moved)), bytesCell(c.Bytes), secondsCell(c.Move), seen, predicted, realised,
		})
	}
	return v
}

// listMoves names the first moves and counts the others.
func listMoves(moves []Move, all int) string {
	const most = 3
	var names []string
	for _, m := range moves[:min(most, len(moves))] {
		names = append(names, fmt.Sprintf("p%d r%d>r%d", m.Pid, m.From, m.To))
	}
	text := strings.Join(names, ", ")
	if more := all - len(names); more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	return text
}
