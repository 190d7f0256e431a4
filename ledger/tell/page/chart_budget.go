package page

import (
	"fmt"
	"html/template"

	"github.com/migbsp/migbsp/internal/svg"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// budgetBar draws the parts of a time in one bar. longest is the time that fills
// the chart, which two runs may share.
func budgetBar(id string, v *tell.View, d *ledger.Budget, longest float64) template.HTML {
	const left, right, top, tall = 8.0, 940.0, 32.0, 40.0
	x := svg.Linear(0, longest, left, right)
	x.High = max(longest, 1e-12)
	s := chart(id, "budget", chartWidth, top+tall+30, "Where the elapsed time went", budgetWords(d))
	sum := 0.0
	for i, part := range d.Parts() {
		if part.Seconds <= 0 {
			continue
		}
		from, to := x.At(sum), x.At(sum+part.Seconds)
		s.Rect(fmt.Sprintf("part part%d", i+1), from, top, to-from, tall)
		if to-from > 18 {
			s.Text("key", "middle", (from+to)/2, top+tall/2+5, fmt.Sprint(i+1))
		}
		sum += part.Seconds
	}
	end := x.At(d.Elapsed)
	s.Line("limit", end, top-8, end, top)
	s.Line("limit", end, top+tall, end, top+tall+8)
	anchor := "end"
	if end < chartWidth/2 {
		anchor = "start"
	}
	s.Text("tick", anchor, end, top-9, "elapsed "+seconds(d.Elapsed)+clock(v))
	s.Line("axis", left, top+tall+4, right, top+tall+4)
	for _, t := range x.Ticks() {
		anchor := "middle"
		if t == 0 {
			anchor = "start"
		}
		s.Line("axis", x.At(t), top+tall+4, x.At(t), top+tall+8)
		s.Text("tick", anchor, x.At(t), top+tall+22, inSeconds(t))
	}
	return s.end()
}

// spread returns the time that a budget's bar needs: parts may claim more than there
// was.
func spread(d *ledger.Budget) float64 {
	sum := 0.0
	for _, part := range d.Parts() {
		sum += max(0, part.Seconds)
	}
	return max(sum, d.Elapsed)
}

func budgetWords(d *ledger.Budget) string {
	text := ""
	for i, part := range d.Parts() {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %s", part.Name, seconds(part.Seconds))
	}
	return text + "."
}
