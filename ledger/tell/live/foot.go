package live

import (
	"fmt"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// foot shows warnings, the source of the figures, and the keys.
func (f *frame) foot() []line {
	below := f.notes()
	switch {
	case f.size.Height < 7:
		below = nil
	case f.size.Height < 20:
		below = below[:min(1, len(below))]
	}
	if f.size.Height >= 9 {
		below = append(below, f.source())
	}
	return append(below, f.keys())
}

// notes returns the lines that belong to no other part, the most important first.
func (f *frame) notes() []line {
	var notes []line
	if problems := f.State.Problems(); len(problems) > 0 {
		l := text("problem: "+clean(problems[0]), bad)
		if more := len(problems) - 1 + f.State.moreProblems; more > 0 {
			l = text(fmt.Sprintf("%s, the first: %s", several(more+1, "problem"), clean(problems[0])), bad)
		}
		notes = append(notes, l)
	}
	if f.State.End != nil {
		notes = append(notes, f.ended()...)
	}
	if f.State.warnings > 0 {
		notes = append(notes, text(fmt.Sprintf("%s, the last: %s", several(f.State.warnings, "warning"), clean(f.State.warning)), warn))
	}
	return notes
}

// ended shows the end of the run.
func (f *frame) ended() []line {
	var notes []line
	if f.State.End.Reason != "" {
		notes = append(notes, text(clean(f.State.End.Reason), bad))
	}
	if r := f.State.Account.Result; r != nil && len(r.Checks) > 0 {
		l := text(clean(r.Title), plain)
		for _, c := range r.Checks {
			verdict := chunk{clean(c.Verdict()), good}
			if !c.Passed {
				verdict.as = bad
			} else if c.Doubt != "" {
				verdict.as = warn
			}
			l = append(l, chunk{fmt.Sprintf(": %s = %.3g ", clean(c.Name), c.Value), plain}, verdict)
		}
		notes = append(notes, l)
	}
	if e := f.State.Account.Emulation; e != nil {
		notes = append(notes, text(fmt.Sprintf("EMULATED time %s, without moves %s: %s", ledger.SecondsOf(e.With), ledger.SecondsOf(e.Without), e.Saved()), plain))
	}
	return notes
}

// source names the record and the age of its last entry.
func (f *frame) source() line {
	age := ", just written"
	if f.from.Age >= time.Second {
		age = fmt.Sprintf(", %s old", clock(f.from.Age.Truncate(time.Second)))
	}
	if f.from.Cut {
		age += ", ends within an entry"
	}
	name := clean(f.from.Name)
	room := f.size.Width - widthOf("source  "+age)
	if over := widthOf(name) - room; over > 0 {
		name = ".." + tail(name, max(0, room-2))
	}
	return text("source  "+name+age, faint).cut(f.size.Width)
}

// tail returns the end of s that fits into width columns.
func tail(s string, width int) string {
	runes := []rune(s)
	for len(runes) > 0 && widthOf(string(runes)) > width {
		runes = runes[1:]
	}
	return string(runes)
}

// keys lists the keys that change the view, and the rows of the table that are shown.
func (f *frame) keys() line {
	if f.view.Help {
		return text("? back  q quit", faint).cut(f.size.Width)
	}
	span := "w whole run"
	if f.view.Whole {
		span = "w last steps"
	}
	left := func(width int) line {
		return facts(width,
			item{text("q quit", faint), 0}, item{text("? help", faint), 1}, item{f.key("e Sets", "sets"), 2}, item{f.key("r ranks", "ranks"), 2},
			item{f.key("s sites", "sites"), 3}, item{f.key("c calls", "calls"), 3}, item{text(span, faint), 4}, item{text("p pause", faint), 5}, item{text("j/k", faint), 6},
		)
	}
	if f.rows > 0 && (f.first > 1 || f.last < f.rows) && f.size.Width >= 32 {
		right := text(fmt.Sprintf("%d-%d of %d", f.first, f.last, f.rows), plain)
		return ends(f.size.Width, left(f.size.Width-right.width()-gap), right)
	}
	return left(f.size.Width)
}

// key returns the key of a table, marked where the table is shown.
func (f *frame) key(name, table string) line {
	if f.view.Table == table {
		return text(name, strong)
	}
	return text(name, faint)
}
