package page

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/internal/svg"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// headline is a figure that a reader sees first.
type headline struct {
	Value, Name string
	Lost        bool
}

// headlinesOf returns the time, the efficiency and the saving of rescheduling.
func headlinesOf(v *tell.View) []headline {
	all := []headline{{Value: seconds(v.Whole.Elapsed), Name: "elapsed"}}
	if v.Parallel > 0 {
		all = append(all, headline{Value: factor(v.Parallel), Name: "parallel efficiency"})
	}
	g := &v.Gain
	switch {
	case g.Moves == 0:
		return all
	case !g.Known:
		return append(all, headline{Value: fmt.Sprint(g.Moves), Name: "moves, not judged"})
	case g.Doubtful():
		return append(all, headline{Value: "not sure", Name: fmt.Sprintf("whether moves paid: %s ± %s saved", seconds(g.Saved), seconds(g.Error))})
	}
	h := headline{Name: "saved by moves", Lost: g.Lost()}
	if g.Saved < 0 {
		h.Name = "lost by moves"
	}
	part, error, known := g.Part()
	if !known {
		h.Value, h.Name = seconds(math.Abs(g.Saved)), h.Name+", of unknown error"
		return append(all, h)
	}
	h.Value = share(math.Abs(part))
	if error > 0 {
		h.Name += ", ± " + share(error)
	}
	return append(all, h)
}

// loss is a call whose moves cost more than they saved.
type loss struct {
	Number int
	Linked bool // its potentials and reasons are on the page
	Text   string
}

// maxLosses bounds the calls that are named at the top.
const maxLosses = 5

// lossesOf returns the calls that lost time, with the record's reasons, and the number of
// further ones.
func lossesOf(v *tell.View, detail []callDetail) (all []loss, more int) {
	linked := make(map[int]bool)
	for i := range detail {
		linked[detail[i].Number] = true
	}
	var before *ledger.Brought // saving of the mapping before the call
	for i := range v.Record.Calls {
		c := &v.Record.Calls[i]
		if c.Moved == 0 {
			continue
		}
		saved, predicted, doubt, steps, judged := judgedBy(c, before)
		if c.Brought != nil {
			before = c.Brought
		}
		net := saved - c.Move
		if !judged || net >= -doubt {
			continue
		}
		if len(all) == maxLosses {
			more++
			continue
		}
		all = append(all, loss{c.Number, linked[c.Number], lossWords(v, c, saved, predicted, steps)})
	}
	return all, more
}

// judgedBy returns the saving of a call's moves in the supersteps that judged it, against the
// mapping before it.
func judgedBy(c *ledger.Call, before *ledger.Brought) (saved, predicted, doubt float64, steps int, judged bool) {
	if b := c.Brought; b != nil && b.Steps > 0 {
		rate := 0.0
		if before != nil && before.Steps > 0 {
			rate = before.Realised / float64(before.Steps)
		}
		usual := rate * float64(b.Steps)
		return b.Realised - usual, b.Predicted - usual, b.Error, b.Steps, true
	}
	if o := c.Outcome; o != nil && o.Sure {
		return o.Realised, o.Predicted, 0, o.Steps, true
	}
	return 0, 0, 0, 0, false
}

// lossWords returns a call's cost and saving, and the later course of its moves.
func lossWords(v *tell.View, c *ledger.Call, saved, predicted float64, steps int) string {
	brought := "saved " + seconds(saved)
	if saved < 0 {
		brought = "made them " + seconds(-saved) + " longer"
	}
	text := fmt.Sprintf("after superstep %d moved %s for %s: in the %s that followed %s were predicted to be saved, and it %s.",
		c.Step, ledger.Count(c.Moved, "process"), seconds(c.Move), ledger.Count(steps, "superstep"), seconds(predicted), brought)
	var named []string
	for _, m := range c.Moves {
		if m.Reason != "" && !slices.Contains(named, m.Reason) && len(named) < 2 {
			named = append(named, m.Reason)
		}
	}
	if len(named) > 0 {
		text += " Its reason: " + strings.Join(named, "; ") + "."
	}
	if back := takenBack(v, c); back > 0 {
		text += fmt.Sprintf(" Call %d took them back.", back)
	}
	return text
}

// takenBack returns the later call that moved a process of the call back to its old rank, or 0.
func takenBack(v *tell.View, c *ledger.Call) int {
	from := make(map[int]int)
	for _, m := range c.Moves {
		from[m.Pid] = m.From
	}
	for i := range v.Record.Moves {
		m := &v.Record.Moves[i]
		if rank, is := from[m.Pid]; is && m.Step > c.Step {
			if m.To == rank {
				return m.Call
			}
			delete(from, m.Pid)
		}
	}
	return 0
}

// withAndWithout draws the time of the run above the time that it would have taken without
// calls and moves. It returns "" where that is not known.
func withAndWithout(v *tell.View) template.HTML {
	g, elapsed := &v.Gain, v.Whole.Elapsed
	if !g.Known {
		return ""
	}
	const left, right, top, tall, gap = 250.0, 790.0, 10.0, 30.0, 14.0
	s := chart("versus", "versus", chartWidth, top+2*(tall+gap)+30, "With and without rescheduling",
		fmt.Sprintf("With %s, without %s.", seconds(elapsed), seconds(g.Without)))
	x := svg.Linear(0, max(elapsed, g.Without+g.Error), left, right)
	bar := func(y float64, name, class string, time, spent float64) {
		s.Text("label", "end", left-10, y+tall*0.65, name)
		s.Rect(class, left, y, x.At(time)-left, tall)
		if spent > 0 {
			s.Rect("spent", x.At(max(0, time-spent)), y, x.At(time)-x.At(max(0, time-spent)), tall)
		}
	}
	bar(top, "this run", "bar1", elapsed, g.Cost)
	s.Text("label", "start", x.At(elapsed)+10, top+tall*0.65, seconds(elapsed))
	y := top + tall + gap
	bar(y, "without moves", "bar0", g.Without, 0)
	text := seconds(g.Without)
	if g.Error > 0 {
		text += " ± " + seconds(g.Error)
		low, high := x.At(max(0, g.Without-g.Error)), x.At(g.Without+g.Error)
		s.Line("limit", low, y+tall/2, high, y+tall/2)
		s.Line("limit", low, y+tall/2-6, low, y+tall/2+6)
		s.Line("limit", high, y+tall/2-6, high, y+tall/2+6)
	}
	s.Text("label", "start", x.At(g.Without+g.Error)+10, y+tall*0.65, text)
	s.Bottom(x, inSeconds, y+tall+4, y+tall+4)
	return s.end()
}

// versusWords explains where the time without moves comes from.
func versusWords(g *tell.Gain) string {
	switch {
	case !g.Known:
		return ""
	case g.Estimated:
		return "Without moves: an estimate, of the same processes where they began, on what their hosts gave to them. The end of the bar, in another tone, is what calls and moves cost. A record of a run with -balance off says it for sure: migbsp report RUN OFF."
	}
	return "Without moves: computed for the same work and messages on the same platform. The end of the bar, in another tone, is what calls and moves cost."
}
