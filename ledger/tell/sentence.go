package tell

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/migbsp/migbsp/ledger"
)

// elapsed returns the time of the run, with whose it is.
func (v *View) elapsed() string {
	text := ledger.SecondsOf(v.Whole.Elapsed)
	if clock := v.Account.Run().Clock(); clock != "" {
		text += " of " + strings.ToLower(clock) + " time"
	}
	return text
}

// NotEnded is the state of a run whose record has no end.
const NotEnded = "not ended: the run goes on, or was killed"

// State returns in a few words whether the run came to its end, and its exit code if that
// is not 0.
func (v *View) State() string {
	text := "ended"
	switch {
	case v.End == nil:
		return NotEnded
	case v.End.Reason != "":
		text = v.Reason()
	}
	if v.End.Code != 0 {
		text += fmt.Sprintf(", code %d", v.End.Code)
	}
	return text
}

// Verdict returns one sentence: the program, its time, the limiting factor and the saving of moves.
// It claims no more than the record shows.
func (v *View) Verdict() string {
	parts := []string{v.ran(), v.limited(), v.moved()}
	if n := v.problems(); n > 0 {
		parts = append(parts, fmt.Sprintf("the record has %s, so take the figures with care", ledger.Count(n, "problem")))
	}
	return strings.Join(parts, "; ") + "."
}

// problems returns the number of problems in the record.
func (v *View) problems() int {
	if v.Record == nil {
		return 0
	}
	return len(v.Record.Problems)
}

// ran returns the program, its time and its ranks.
func (v *View) ran() string {
	run := v.Account.Run()
	where := "on " + ledger.Count(len(run.Ranks), "rank")
	if n := len(run.Sets); n > 1 {
		where += fmt.Sprintf(" in %d Sets", n)
	}
	switch {
	case v.End == nil:
		return fmt.Sprintf("%s has not ended, or was killed: %s in %s so far %s", v.Title, ledger.Count(v.Whole.Step.Count, "superstep"), v.elapsed(), where)
	case v.End.Code != 0:
		text := fmt.Sprintf("%s ended with code %d after %s %s", v.Title, v.End.Code, v.elapsed(), where)
		if v.Reason() != "" {
			text += " (" + v.Reason() + ")"
		}
		return text
	}
	text := fmt.Sprintf("%s took %s %s", v.Title, v.elapsed(), where)
	if v.Wrong {
		text += ", and its result is WRONG"
	}
	return text
}

// limited names the factor of the parallel efficiency that costs most.
func (v *View) limited() string {
	if v.Parallel == 0 {
		return "nothing is known of its efficiency"
	}
	text := "its parallel efficiency is " + ledger.Factor(v.Parallel)
	if v.Limit.Name == "" {
		return text + ", which POP calls acceptable"
	}
	text += fmt.Sprintf(", limited most by %s, %s", v.Limit.Name, ledger.Factor(v.Limit.Value))
	if v.Limit.Why != "" {
		text += " (" + v.Limit.Why + ")"
	}
	return text
}

// moved returns the saving of moves.
func (v *View) moved() string {
	g := &v.Gain
	did := "its " + g.MovesIn()
	switch {
	case g.Calls == 0:
		return fmt.Sprintf("no rescheduling call was made (%s)", v.Account.Run().Strategy)
	case g.Moves == 0:
		return fmt.Sprintf("%s moved nothing, at a cost of %s", ledger.Count(g.Calls, "rescheduling call"), ledger.SecondsOf(g.Cost))
	case !g.Known:
		return fmt.Sprintf("what its %s brought is not known", ledger.Count(g.Moves, "move"))
	}
	text := fmt.Sprintf("%s, at a cost of %s", g.Brought(did, " of the "+ledger.SecondsOf(g.Without)+" without calls and moves"), ledger.SecondsOf(g.Cost))
	if g.Estimated {
		text += " (an estimate, not a comparison with a run without)"
	}
	return text
}

// MovesIn returns, as text, the number of moves, of calls that made them, and of all calls.
func (g *Gain) MovesIn() string {
	in := ledger.Count(g.Calls, "call")
	if 0 < g.Moving && g.Moving < g.Calls {
		in = fmt.Sprintf("%d of %s", g.Moving, in)
	}
	return ledger.Count(g.Moves, "move") + " in " + in
}

// briefLength is the maximum number of characters in Brief: a line of a terminal.
const briefLength = 80

// Brief is Verdict for a list of jobs: the time of the run, its parallel efficiency, the saving of
// moves and the verdict on the result, in one line of at most 80 characters, none of which has a
// meaning for a shell or a batch system.
func (v *View) Brief() string {
	text := v.brief(v.Gain.brief())
	if len(text) > briefLength { // the verdict on the result takes precedence over the saving of moves
		text = v.brief(v.Gain.moves())
	}
	if len(text) > briefLength {
		text = text[:briefLength-3] + "..."
	}
	return text
}

// brief is Brief without the limit of its length, with gain as its words on moves.
func (v *View) brief(gain string) string {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	switch {
	case v.End == nil:
		add("NOT ENDED: " + v.elapsed() + " so far")
	case v.End.Code != 0:
		add(fmt.Sprintf("code %d after %s", v.End.Code, v.elapsed()))
		add(v.Reason())
	default:
		add(v.elapsed())
	}
	if v.Reason() == "" {
		if v.Parallel > 0 {
			add("efficiency " + ledger.Factor(v.Parallel))
		}
		add(gain)
	}
	if r := v.Account.Result; r != nil {
		add(strings.TrimSpace(r.Verdict() + " " + r.Checksum))
	}
	if v.problems() > 0 {
		add("damaged record")
	}
	return harmless(strings.Join(parts, ", "))
}

// brief returns the saving of moves in few words.
func (g *Gain) brief() string {
	if g.Moves == 0 || !g.Known {
		return g.moves()
	}
	return g.Brought(g.moves(), "")
}

// moves returns the number of moves, as text; "" if rescheduling was not called.
func (g *Gain) moves() string {
	if g.Calls == 0 {
		return ""
	}
	return ledger.Count(g.Moves, "move")
}

// harmless replaces characters that are special to a shell or to Slurm.
func harmless(text string) string {
	text = strings.ReplaceAll(text, "±", "+-")
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r), strings.ContainsRune("'\"`$\\", r):
			return '?'
		case r == 'µ', r == 'μ':
			return 'u'
		case r > unicode.MaxASCII:
			return '?'
		}
		return r
	}, text)
}

// Status returns a few words on the progress of a run for a status line that is overwritten:
// present is the efficiency of the last supersteps.
func Status(run *ledger.Run, p *ledger.Progress, toGo time.Duration, present float64) string {
	text := fmt.Sprintf("superstep %d", p.Step)
	if p.Stages > 0 {
		text = fmt.Sprintf("stage %d of %d", p.Stage, p.Stages)
		if p.Loop > 1 {
			text += fmt.Sprintf(" of loop %d", p.Loop)
		}
		text += fmt.Sprintf(", %.0f%%", 100*p.Part())
	}
	if toGo > 0 {
		text += fmt.Sprintf(", %s to go", toGo.Round(time.Second))
	}
	text += ", efficiency " + ledger.Factor(present)
	if clock := run.Clock(); clock != "" {
		text += " (" + clock + ")"
	}
	return run.Program + ": " + text
}

// Headline returns one line on the progress of a run that has taken the time after, by
// this machine's clock.
func Headline(a *ledger.Account, p *ledger.Progress, after time.Duration) string {
	text := fmt.Sprintf("superstep %d, %s", p.Step, after.Round(time.Second))
	if part := p.Part(); part > 0 {
		text = fmt.Sprintf("superstep %d, stage %d of %d (%.0f%%), %s", p.Step, p.Stage, p.Stages, 100*part, after.Round(time.Second))
		if p.Loop == 1 {
			text += fmt.Sprintf(", %s to go", ledger.ToGo(after, 0, part).Round(time.Second))
		}
	}
	t := a.Whole()
	text += fmt.Sprintf("; w max/avg %.2f", t.Step.Imbalance())
	if c := a.Calls(); c.Moves > 0 {
		text += "; " + (&Gain{Calls: c.Calls, Moving: c.Moving, Moves: c.Moves}).MovesIn()
	}
	return text
}
