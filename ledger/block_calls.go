package ledger

import (
	"fmt"
	"strings"
)

// mostShownCalls is how many calls that moved something are printed.
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
	if c.judged > 0 {
		out.sentence(display, plain, "Saved: %s in the %s in which the moves of %s were judged; %s predicted for these.",
			secondsText(c.realised), Count(c.seen, "superstep"), Count(c.judged, "call"), secondsText(c.predicted))
	}
}

// heading says how many calls there were and what became of them.
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
		if o := c.Outcome; o != nil {
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
