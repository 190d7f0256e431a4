package page

import (
	"fmt"
	"html/template"

	"github.com/migbsp/migbsp/ledger"
)

// scatter draws what calls were predicted to save against what they saved, with
// the line on which both are equal; nothing if no outcome is known.
func scatter(id string, h *ledger.History) template.HTML {
	const width, height, left, right, top, bottom = 420, 330, 74, 384, 12, 282
	var judged []*ledger.Call
	low, high := 0.0, 0.0
	for i := range h.Calls {
		if o := h.Calls[i].Outcome; o != nil {
			judged = append(judged, &h.Calls[i])
			low, high = min(low, o.Predicted, o.Realised), max(high, o.Predicted, o.Realised)
		}
	}
	if len(judged) == 0 {
		return ""
	}
	x, y := linear(low, high, left, right), linear(low, high, bottom, top)
	s := chart(id, "scatter", width, height, "Saving predicted and measured", fmt.Sprintf("%s; on the line both are equal.", count(len(judged), "call")))
	s.left(y, inSeconds, left, right)
	s.bottom(x, inSeconds, top, bottom)
	s.text("label", "middle", (left+right)/2, height-8, "predicted saving"+clock(h))
	s.vertical("label", 14, (top+bottom)/2, "measured saving"+clock(h))
	s.line("equal", x.at(x.low), y.at(y.low), x.at(x.high), y.at(y.high))
	s.text("note", "end", right-26, top+14, "y = x")
	var sure, unsure pen
	names := labels{left: left, right: right, top: top, bottom: bottom}
	for _, c := range judged {
		px, py := x.at(c.Outcome.Predicted), y.at(c.Outcome.Realised)
		if c.Outcome.Sure {
			sure.dot(px, py)
		} else {
			fmt.Fprintf(&unsure, "M%s %sh8v8h-8z", num(px-4), num(py-4))
		}
		names.put(s, px, py, fmt.Sprint(c.Number))
	}
	s.path("sure", sure.String())
	s.path("unsure", unsure.String())
	return s.end()
}
