package ledger

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// endLines bounds the lines of the end of a run, of which resultLines are for the result:
// what does not fit is in the table "full".
const (
	endLines    = 15
	resultLines = 8
)

// fact is a name and what is said of it.
type fact struct {
	name, text  string
	more        string // goes on with text, where there is room
	paint       func(string) string
	dispensable bool // left out where there is no room
}

// writeConclusion prints the conclusions, in no more lines than a reader takes in.
func (a *Account) writeConclusion(out *printer, end *End, table, record string, display Display) {
	c := a.Conclude(end)
	facts := []fact{a.timeFact(c)}
	if !c.Ended || c.Reason != "" {
		state := "not ended: the run goes on, or was killed"
		if c.Ended {
			state = fmt.Sprintf("code %d: %s", c.Code, c.Reason)
		}
		facts = append(facts, fact{name: "state", text: state, paint: display.alarm})
	}
	if c.Efficiency > 0 {
		facts = append(facts, c.efficiencyFact(len(a.Run.Ranks)))
	}
	facts = append(facts, c.Gain.fact(a.Run.Strategy, display))
	if text := a.drainedText(); text != "" {
		facts = append(facts, fact{name: "drained", text: text})
	}
	for i, text := range c.Next {
		name := "next"
		if i > 0 {
			name = ""
		}
		facts = append(facts, fact{name: name, text: text, dispensable: i > 0 || !c.Ended && !c.Wrong})
	}
	if wrong := a.Check(); table != "full" && len(wrong) > 0 {
		facts = append(facts, fact{name: "note", text: "these figures do not fit together: -table full", more: "; " + wrong[0], paint: display.alarm})
	} else if n := len(a.warnings); table != "full" && n > 0 {
		text := a.warnings[0]
		if n > 1 {
			text += fmt.Sprintf(" (and %d more: -table full)", n-1)
		}
		facts = append(facts, fact{name: "note", text: text, paint: display.alarm, dispensable: true})
	}
	if record != "" {
		facts = append(facts, fact{name: "record", text: record})
	}
	out.facts(display, facts, endLines-1-resultLines)
}

// facts prints names with what is said of them. Where that takes more than most lines, first
// the last that are dispensable are left out, then how the last ones go on.
func (out *printer) facts(display Display, facts []fact, most int) {
	width := display.Width
	if width <= 0 || width > usualWidth {
		width = usualWidth
	}
	const name = 14
	layout := func(f fact) []string { return wrapped(Printable(f.text+f.more), width-name-1) }
	lines := 0
	for _, f := range facts {
		lines += len(layout(f))
	}
	for i := len(facts) - 1; i >= 0 && lines > most; i-- {
		if facts[i].dispensable {
			lines -= len(layout(facts[i]))
			facts = cut(facts, i)
		}
	}
	for i := len(facts) - 1; i >= 0 && lines > most; i-- {
		lines -= len(layout(facts[i]))
		facts[i].more = ""
		lines += len(layout(facts[i]))
	}
	for _, f := range facts {
		for i, line := range layout(f) {
			if i > 0 {
				f.name = ""
			}
			if f.paint != nil {
				line = f.paint(line)
			}
			out.line(" %-*s%s", name, f.name, line)
		}
	}
}

// wrapped breaks running text into lines of at most width characters, but for words that are
// longer.
func wrapped(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// timeFact is how long the run took, and the program's own part of it.
func (a *Account) timeFact(c *Conclusion) fact {
	f := fact{name: "time", text: secondsText(c.Elapsed)}
	if c.Clock != "" {
		f.text += " " + c.Clock
		if a.Run.Platform != "" {
			f.text += " on " + base(a.Run.Platform)
		}
	}
	f.text += ", " + Count(c.Steps, "superstep")
	if r := a.Result; r != nil && r.Seconds > 0 {
		f.more = "; of it " + secondsText(r.Seconds)
		if rate, unit := r.rate(1); unit != "" {
			f.more += " at " + rate + " " + unit
		}
	}
	return f
}

// efficiencyFact is the parallel efficiency with what limits it.
func (c *Conclusion) efficiencyFact(ranks int) fact {
	f := fact{name: "efficiency", text: fmt.Sprintf("%s of %s", Factor(c.Efficiency), Count(ranks, "rank"))}
	if c.Limit.Name != "" {
		f.text += fmt.Sprintf("; limit: %s, %s", c.Limit.Name, Factor(c.Limit.Value))
	}
	if c.Limit.Why != "" {
		f.more = " (" + c.Limit.Why + ")"
	}
	return f
}

// fact is what rescheduling has brought, against what there would have been without it.
func (g *Gain) fact(strategy string, display Display) fact {
	f := fact{name: "rescheduling"}
	switch {
	case g.Calls == 0 && strings.HasPrefix(strategy, "off"):
		f.text = "off"
		return f
	case g.Calls == 0:
		f.text = fmt.Sprintf("no call was made (%s)", strategy)
		return f
	}
	f.text, f.more = movesIn(g.Moves, g.Moving, g.Calls), "; cost "+secondsText(g.Cost)
	if g.Why != "" {
		f.text += ", for " + g.Why
	}
	if !g.Known {
		if g.Moves > 0 {
			f.text += "; what they saved is not known"
		}
		return f
	}
	if g.Lost() {
		f.paint = display.loss
	}
	of := " of " + secondsText(g.Without)
	text, whole := strings.CutSuffix(strings.Replace(g.brought(f.text, of), " lost ", " LOST ", 1), of)
	f.text = text
	if whole {
		f.more = of + f.more
	}
	return f
}

// base returns the name of a file without where it is.
func base(name string) string { return name[strings.LastIndexAny(name, `/\`)+1:] }
