package text

import (
	"fmt"
	"strings"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// endLines bounds the lines of the end of a run, and resultLines the lines of them for the
// result; the table "full" has the rest.
const (
	endLines    = 15
	resultLines = 8
)

// fact is a name and its text.
type fact struct {
	name, text  string
	more        string // continues text, if it fits
	last        string // ends it
	brief       string // short form, appended to another fact if the full text does not fit
	paint       func(string) string
	dispensable bool // left out if the facts do not fit
}

// writeConclusion prints the conclusions, in at most endLines lines.
func writeConclusion(out *printer, v *tell.View, table, record string, display Display) {
	facts := []fact{timeFact(v)}
	if start := v.Account.Run().Start(); start != ledger.StartBlocks {
		facts = append(facts, fact{name: "start", text: start})
	}
	switch {
	case v.End == nil:
		facts = append(facts, fact{name: "state", text: tell.NotEnded, paint: display.alarm})
	case v.Reason() != "":
		facts = append(facts, fact{name: "state", text: fmt.Sprintf("code %d: %s", v.End.Code, v.Reason()), paint: display.alarm})
	}
	if v.Parallel > 0 {
		facts = append(facts, efficiencyFact(v))
	}
	gain := gainFact(&v.Gain, v.Account.Run().Strategy, display)
	if v.Account.Run().Start() != ledger.StartBlocks && v.Gain.Known {
		gain.more += "; compared with the start"
	}
	facts = append(facts, gain)
	if text := tell.Survived(v); text != "" {
		facts = append(facts, fact{name: "parts", text: text})
	}
	if text := v.Drained(); text != "" {
		facts = append(facts, fact{name: "drained", text: text})
	}
	name := "next"
	for i, text := range v.Next {
		facts = append(facts, fact{name: name, text: text, dispensable: i > 0 || v.End == nil && !v.Wrong})
		name = ""
	}
	if wrong := v.Account.Check(); table != "full" && len(wrong) > 0 {
		facts = append(facts, fact{name: "note", text: "these figures do not fit together: -table full", more: "; " + wrong[0], paint: display.alarm})
	} else if n := len(v.Account.Warnings); table != "full" && n > 0 {
		text := v.Account.Warnings[0]
		if n > 1 {
			text += fmt.Sprintf(" (and %d more: -table full)", n-1)
		}
		facts = append(facts, fact{name: "note", text: text, brief: ledger.Count(n, "warning") + ": -table full", paint: display.alarm})
	}
	if record != "" {
		facts = append(facts, fact{name: "record", text: record})
	}
	var result strings.Builder
	writeShortResult(&printer{w: &result}, v, display)
	out.facts(display, facts, endLines-1-strings.Count(result.String(), "\n"))
}

// facts prints facts in at most most lines. If they are longer it leaves out dispensable facts,
// from the last one on, then appends the brief forms of facts to others, and then leaves out the
// ends of the last ones.
func (out *printer) facts(display Display, facts []fact, most int) {
	const name = 14
	layout := func(f fact) []string {
		if f.text == "" {
			return nil
		}
		return Wrapped(ledger.Printable(f.text+f.more+f.last), display.breadth()-name-1, "", "")
	}
	tooLong := func() bool {
		lines := 0
		for _, f := range facts {
			lines += len(layout(f))
		}
		return lines > most
	}
	for _, shorten := range []func(f *fact){
		func(f *fact) {
			if f.dispensable {
				*f = fact{}
			}
		},
		func(f *fact) {
			if f.brief != "" {
				brief := "; " + f.brief
				*f = fact{}
				for i := range facts {
					short := fact{text: facts[i].text}
					n := len(layout(short))
					if short.last = brief; n > 0 && len(layout(short)) == n {
						facts[i].last = brief
						return
					}
				}
			}
		},
		func(f *fact) { f.more = "" },
	} {
		for i := len(facts) - 1; i >= 0 && tooLong(); i-- {
			shorten(&facts[i])
		}
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

// The time of measuring before the run is printed if it exceeds this part of the run's time, and
// these seconds.
const (
	measuringPart    = 0.02
	measuringSeconds = 0.5
)

// timeFact returns the time of the run, and the program's own part of it.
func timeFact(v *tell.View) fact {
	f := fact{name: "time", text: ledger.SecondsOf(v.Whole.Elapsed)}
	if clock := v.Account.Run().Clock(); clock != "" {
		f.text += " " + clock
		if v.On() != "" {
			f.text += " on " + v.On()
		}
	}
	if before := v.Account.Run().Measuring; before > max(measuringSeconds, measuringPart*v.Whole.Elapsed) {
		f.text += fmt.Sprintf(" after %s of measuring", ledger.SecondsOf(before))
	}
	f.text += ", " + ledger.Count(v.Whole.Step.Count, "superstep")
	if r := v.Account.Result; r != nil && r.Seconds > 0 {
		f.more = "; of it " + ledger.SecondsOf(r.Seconds)
		if rate, unit := tell.Rate(r, 1); unit != "" {
			f.more += " at " + rate + " " + unit
		}
	}
	return f
}

// efficiencyFact returns the parallel efficiency with its limit.
func efficiencyFact(v *tell.View) fact {
	f := fact{name: "efficiency", text: fmt.Sprintf("%s of %s", ledger.Factor(v.Parallel), ledger.Count(len(v.Account.Run().Ranks), "rank"))}
	if v.Limit.Name != "" {
		f.text += fmt.Sprintf("; limit: %s, %s", v.Limit.Name, ledger.Factor(v.Limit.Value))
	}
	if v.Limit.Why != "" {
		f.more = " (" + v.Limit.Why + ")"
	}
	return f
}

// gainFact returns the saving of rescheduling compared with a run without it, or the cost of calls
// without moves.
func gainFact(g *tell.Gain, strategy string, display Display) fact {
	f := fact{name: "rescheduling"}
	switch {
	case g.Calls == 0 && strings.HasPrefix(strategy, "off"):
		f.text = "off"
		return f
	case g.Calls == 0:
		f.text = fmt.Sprintf("no call was made (%s)", strategy)
		return f
	case g.Moves == 0:
		f.text = fmt.Sprintf("0 moves (%s, %s)", ledger.Count(g.Calls, "call"), ledger.SecondsOf(g.Cost))
		if g.Why != "" {
			f.text += ": " + g.Why
		}
		return f
	}
	f.text, f.more = g.MovesIn(), "; cost "+ledger.SecondsOf(g.Cost)
	if !g.Known {
		f.text += "; what they saved is not known"
		return f
	}
	if g.Lost() {
		f.paint = display.loss
	}
	of := " of " + ledger.SecondsOf(g.Without)
	text, whole := strings.CutSuffix(strings.Replace(g.Brought(f.text, of), " lost ", " LOST ", 1), of)
	f.text = text
	if whole {
		f.more = of + f.more
	}
	return f
}
