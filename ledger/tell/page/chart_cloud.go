package page

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/migbsp/migbsp/internal/svg"
	"github.com/migbsp/migbsp/ledger"
)

// cloud draws the potentials of a call, seen from three sides, with the region
// that chose among them if it is known.
func cloud(call *ledger.Call, r *region) []template.HTML {
	var all []template.HTML
	for plane := range planes {
		all = append(all, cloudPlane(call, r, plane))
	}
	return all
}

func cloudPlane(call *ledger.Call, r *region, plane int) template.HTML {
	const width, height, left, right, top, bottom = 340, 280, 64, 312, 12, 232
	horizontal, vertical := planes[plane][0], planes[plane][1]
	id := fmt.Sprintf("cloud-%d-%d", call.Number, plane)
	s := chart(id, "cloud", width, height, fmt.Sprintf("Potentials of call %d: %s and %s", call.Number, terms[horizontal], terms[vertical]),
		fmt.Sprintf("%s; %d moved.", ledger.Count(len(call.Verdicts), "potential"), call.Moved))
	x := termAxis(call, r, plane, horizontal, left, right)
	y := termAxis(call, r, plane, vertical, bottom, top)
	s.Left(y, inSeconds, left, right)
	s.Bottom(x, inSeconds, top, bottom)
	s.Text("label", "middle", (left+right)/2, height-10, terms[horizontal])
	s.Vertical("label", 12, (top+bottom)/2, terms[vertical])
	if r != nil {
		var border svg.Pen
		for i, p := range r.outline(plane) {
			if i == 0 {
				border.Move(x.Beyond(p[0]), y.Beyond(p[1]))
				continue
			}
			border.To(x.Beyond(p[0]), y.Beyond(p[1]))
		}
		s.Clip(id+"-c", left, top, right-left, bottom-top, func() { s.Path("region", border.String()+"Z") })
	}
	s.potentials(call, r, x, y, plane)
	return s.end()
}

// termAxis fits one term of all potentials, and the region if it is near.
func termAxis(call *ledger.Call, r *region, plane, term int, from, to float64) svg.Axis {
	low, high := 0.0, 0.0
	for i := range call.Verdicts {
		x := place(&call.Verdicts[i])[term]
		low, high = min(low, x), max(high, x)
	}
	if r != nil {
		high = max(high, min(r.center[term]+r.reach[plane]*1.1, 1.6*high))
	}
	if high == low {
		high = low + 1e-6
	}
	return svg.Linear(low, high, from, to)
}

// potentials draws processes that stay, candidates, and processes that moved, each kind in
// its own form, and names the most important processes.
func (s picture) potentials(call *ledger.Call, r *region, x, y svg.Axis, plane int) {
	horizontal, vertical := planes[plane][0], planes[plane][1]
	var kept, chosen, moved svg.Pen
	names := svg.Labels{Left: x.From, Right: x.To, Top: y.To, Bottom: y.From}
	for i := range call.Verdicts {
		v := &call.Verdicts[i]
		at := place(v)
		px, py := x.At(at[horizontal]), y.At(at[vertical])
		switch {
		case v.Moves:
			moved.Diamond(px, py, 5)
		case isCandidate(v, r):
			chosen.Box(px-3.5, py-3.5, 7, 7)
		default:
			kept.Dot(px, py)
		}
		if v.Moves {
			names.Put(s.Picture, px, py, fmt.Sprintf("p%d", v.Pid))
		}
	}
	s.Path("kept", kept.String())
	s.Path("chosen", chosen.String())
	s.Path("moved", moved.String())
}

// isCandidate reports whether a process was chosen but did not move: by the region, if the call has
// one, else by whether a destination was proposed.
func isCandidate(v *ledger.Verdict, r *region) bool {
	if r != nil {
		return v.PM() >= 0 && v.Set >= 0 && r.has(v, 1e-9)
	}
	return v.To >= 0
}

// regionWords describes the border in the planes, or the reason for its absence. It returns ""
// without a heuristic.
func regionWords(strategy string, call *ledger.Call) (*region, string) {
	name := heuristic(strategy)
	if name == "" {
		return nil, ""
	}
	if call.Considered != len(call.Verdicts) {
		return nil, fmt.Sprintf("What %s chose from is not drawn: the record has %d of the %d verdicts of this call.", name, len(call.Verdicts), call.Considered)
	}
	list := candidates(call.Verdicts)
	r := regionOf(name, list)
	switch {
	case r == nil && len(list) == 0:
		return nil, "No potential was positive: there was nothing to choose from."
	case r == nil:
		return nil, "With so few candidates mighull chooses all."
	}
	words := fmt.Sprintf("The border is the cube around the largest potential, of half edge %s, the mean distance of the others; it is computed from the verdicts.", seconds(r.reach[0]))
	if !r.cube {
		words = fmt.Sprintf("The border is in each plane what is near the segment between the two largest potentials: within %s, %s and %s, the larger standard deviation along the plane's axes; it is computed from the verdicts.",
			seconds(r.reach[0]), seconds(r.reach[1]), seconds(r.reach[2]))
	}
	if odd := disagree(list, r); len(odd) > 0 {
		words += " The verdicts say otherwise for " + strings.Join(odd, ", ") + "."
	}
	return r, words
}

// disagree names the processes for which region and verdict disagree on whether they are
// candidates. At the very border rounding may decide.
func disagree(list []ledger.Verdict, r *region) []string {
	var odd []string
	for i := range list {
		v := &list[i]
		said := !strings.Contains(v.Rule, "is not chosen")
		if i < 2 && !r.cube || r.has(v, -1e-9) != r.has(v, 1e-9) {
			continue
		}
		if r.has(v, 0) != said && len(odd) < 5 {
			odd = append(odd, fmt.Sprintf("p%d", v.Pid))
		}
	}
	return odd
}
