package live

import (
	"fmt"
	"strings"

	"github.com/migbsp/migbsp/ledger"
)

// callTable has the last rescheduling calls, the newest first.
func (f *frame) callTable() *table {
	t := &table{columns: []column{
		{head: "CALL AT", right: true}, {head: "alpha", rank: 4}, {head: "candidates (PM)", least: 15, rank: 3}, {head: "moved", least: 8},
		{head: "bytes", right: true, rank: 5}, {head: "cost", right: true, rank: 2}, {head: "predicted", right: true, rank: 1}, {head: "seen", right: true, rank: 1},
	}}
	for i := len(f.calls) - 1; i >= 0; i-- {
		c := &f.calls[i]
		row := []chunk{
			{count(c.Step), plain}, {fmt.Sprintf("%d>%d", c.AlphaBefore, c.AlphaAfter), plain}, {candidates(c.Verdicts), plain}, {c.moved(), plain},
		}
		if c.Moved > 0 {
			predicted, seen := c.brought()
			row[3].as = good
			row = append(row, chunk{ledger.Bytes(c.Bytes), plain}, chunk{seconds(c.Move), plain}, chunk{predicted, plain}, seen)
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// candidates returns the processes with the largest potentials.
func candidates(verdicts []ledger.Verdict) string {
	const most = 3
	var list []string
	for i := range verdicts[:min(most, len(verdicts))] {
		v := &verdicts[i]
		list = append(list, fmt.Sprintf("p%d %s", v.Pid, seconds(v.PM())))
	}
	text := strings.Join(list, ", ")
	if more := len(verdicts) - most; more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	return text
}

// moved lists the moves, or returns the reason why there were none.
func (c *call) moved() string {
	if c.Moved == 0 {
		return "none: " + clean(c.Kept)
	}
	var list []string
	for _, m := range c.moves {
		list = append(list, fmt.Sprintf("p%d r%d>r%d", m.Pid, m.From, m.To))
	}
	if c.Moved > len(list) {
		list = append(list, "…")
	}
	text := strings.Join(list, ", ")
	if c.Moved > 1 {
		text = fmt.Sprintf("%d: %s", c.Moved, text)
	}
	return text
}

// brought returns the saving predicted for a call's moves, and what was seen of it.
func (c *call) brought() (predicted string, seen chunk) {
	o := c.Outcome
	switch {
	case o == nil && c.Horizon > 0:
		return seconds(c.Forecast), chunk{"...", faint}
	case o == nil:
		return "-", chunk{"...", faint}
	}
	seen = chunk{seconds(o.Realised), good}
	if o.Realised < o.Cost {
		seen.as = warn
	}
	if !o.Sure {
		seen = chunk{seen.text + "?", faint}
	}
	return seconds(o.Predicted), seen
}
