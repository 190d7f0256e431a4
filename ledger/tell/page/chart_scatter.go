package page

import (
	"fmt"
	"html/template"

	"github.com/migbsp/migbsp/internal/svg"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// scatter draws the predicted savings of calls against the realised ones, with the line of equal
// values. It returns "" if no outcome is known.
func scatter(id string, v *tell.View) template.HTML {
	const width, height, left, right, top, bottom = 420, 330, 74, 384, 12, 282
	var judged []*ledger.Call
	low, high := 0.0, 0.0
	for i := range v.Record.Calls {
		if o := v.Record.Calls[i].Outcome; o != nil {
			judged = append(judged, &v.Record.Calls[i])
			low, high = min(low, o.Predicted, o.Realised), max(high, o.Predicted, o.Realised)
		}
	}
	if len(judged) == 0 {
		return ""
	}
	x, y := svg.Linear(low, high, left, right), svg.Linear(low, high, bottom, top)
	s := chart(id, "scatter", width, height, "Saving predicted and measured", fmt.Sprintf("%s; on the line both are equal.", ledger.Count(len(judged), "call")))
	s.Left(y, inSeconds, left, right)
	s.Bottom(x, inSeconds, top, bottom)
	s.Text("label", "middle", (left+right)/2, height-8, "predicted saving"+clock(v))
	s.Vertical("label", 14, (top+bottom)/2, "measured saving"+clock(v))
	s.Line("equal", x.At(x.Low), y.At(y.Low), x.At(x.High), y.At(y.High))
	var sure, unsure svg.Pen
	names := svg.Labels{Left: left, Right: right, Top: top, Bottom: bottom}
	names.Put(s.Picture, x.At(x.High), y.At(y.High), "y = x")
	for _, c := range judged {
		px, py := x.At(c.Outcome.Predicted), y.At(c.Outcome.Realised)
		if c.Outcome.Sure {
			sure.Dot(px, py)
		} else {
			unsure.Box(px-4, py-4, 8, 8)
		}
		names.Put(s.Picture, px, py, fmt.Sprint(c.Number))
	}
	s.Path("sure", sure.String())
	s.Path("unsure", unsure.String())
	return s.end()
}
