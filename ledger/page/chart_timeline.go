package page

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"

	"github.com/migbsp/migbsp/ledger"
)

// timeline draws the work of ranks in each superstep as a band from the least to
// the most, with the mean; below it calls and moves, and alpha. y is the axis of
// the work, which two runs may share.
func timeline(id string, h *ledger.History, all course, y axis) template.HTML {
	const marks, alpha, bottom = 252, 286, 336
	height := float64(bottom + 40)
	if len(h.Calls) == 0 {
		height = marks
	}
	s := chart(id, "timeline", chartWidth, height, "Work of the ranks in each superstep", timelineWords(h, all), "data-course", "")
	s.left(y, inSeconds, plotLeft, plotRight)
	s.vertical("label", 16, (y.from+y.to)/2, "work per superstep"+clock(h))
	s.band(all, y)
	if len(h.Calls) == 0 {
		s.supersteps(all, y.from)
		return s.end()
	}
	s.line("axis", plotLeft, y.from, plotRight, y.from)
	s.callMarks(h, all, marks)
	s.alphaLine(h, all, alpha, bottom-8)
	s.supersteps(all, bottom)
	return s.end()
}

// workAxis fits the work of all given runs. It is logarithmic where supersteps
// differ much.
func workAxis(runs ...course) axis {
	const top, bottom = 14, 216
	var high float64
	var most []float64
	for _, all := range runs {
		for i := range all {
			c := &all[i]
			x := c.per(c.Max)
			high = max(high, x)
			if x > 0 {
				most = append(most, x)
			}
		}
	}
	if len(most) == 0 {
		return linear(0, 1e-6, bottom, top)
	}
	slices.Sort(most)
	if middle := most[len(most)/2]; high > 20*middle {
		return logarithmic(max(most[len(most)/50]/20, high/1e6), high, bottom, top)
	}
	return linear(0, high, bottom, top)
}

// band draws the work. Few columns are drawn as steps, many as a curve.
func (s *svg) band(all course, y axis) {
	var over, under, mean pen
	points := func(draw func(i int, x float64)) {
		for i := range all {
			if len(all) > 240 {
				draw(i, (all.edge(i)+all.edge(i+1))/2)
				continue
			}
			draw(i, all.edge(i))
			draw(i, all.edge(i+1))
		}
	}
	started := false
	points(func(i int, x float64) {
		c := &all[i]
		if !started {
			started = true
			over.move(x, y.at(c.per(c.Max)))
			mean.move(x, y.at(c.per(c.avg())))
			return
		}
		over.to(x, y.at(c.per(c.Max)))
		mean.to(x, y.at(c.per(c.avg())))
	})
	var back [][2]float64
	points(func(i int, x float64) { back = append(back, [2]float64{x, y.at(all[i].per(all[i].Min))}) })
	slices.Reverse(back)
	for _, p := range back {
		under.to(p[0], p[1])
	}
	if started {
		s.path("band", over.String()+under.String()+"Z")
		s.path("most", over.String())
		s.path("mean", mean.String())
	}
}

// callMarks draws a line for each call and a triangle for each that moved
// something, with how many processes.
func (s *svg) callMarks(h *ledger.History, all course, y float64) {
	s.text("tick", "end", plotLeft-6, y-12, "moved")
	s.text("tick", "end", plotLeft-6, y+8, "call")
	moving := 0
	for i := range h.Calls {
		if h.Calls[i].Moved > 0 {
			moving++
		}
	}
	var calls, moves pen
	end, last := -100.0, -1.0
	for i := range h.Calls {
		c := &h.Calls[i]
		x := all.after(c.Step)
		if x != last {
			calls.move(x, y+2)
			calls.to(x, y+12)
		}
		last = x
		if c.Moved == 0 {
			continue
		}
		fmt.Fprintf(&moves, "M%s %sl-5 -9h10z", num(x), num(y))
		if moving <= 40 && x-end > 20 {
			s.text("note", "middle", x, y-12, strconv.Itoa(c.Moved))
			end = x
		}
	}
	s.path("call", calls.String())
	s.path("moved", moves.String())
}

// alphaLine draws how many supersteps were between calls.
func (s *svg) alphaLine(h *ledger.History, all course, top, bottom float64) {
	low, high := h.Calls[0].AlphaBefore, h.Calls[0].AlphaBefore
	for i := range h.Calls {
		low, high = min(low, h.Calls[i].AlphaAfter), max(high, h.Calls[i].AlphaAfter)
	}
	low = max(1, low)
	y := axis{low: float64(low), high: float64(max(low+1, high)), from: bottom, to: top, log: true}
	s.text("tick", "end", plotLeft-6, bottom+4, strconv.Itoa(low))
	if high > low {
		s.text("tick", "end", plotLeft-6, top+4, strconv.Itoa(high))
	}
	s.vertical("label", plotLeft-50, (top+bottom)/2, "alpha")
	var line pen
	last := y.at(float64(h.Calls[0].AlphaBefore))
	line.move(plotLeft, last)
	for i := range h.Calls {
		next := y.at(float64(h.Calls[i].AlphaAfter))
		if next != last {
			x := all.after(h.Calls[i].Step)
			line.to(x, last)
			line.to(x, next)
		}
		last = next
	}
	line.to(plotRight, last)
	s.path("alpha", line.String())
}

func timelineWords(h *ledger.History, all course) string {
	least, most := all.widths()
	text := fmt.Sprintf("Longest, mean and shortest work of %s in %s", count(len(h.Run.Ranks), "rank"), count(h.Book.Steps(), "superstep"))
	if most > 1 {
		text += fmt.Sprintf(", %d to %d added up in a column", least, most)
	}
	if n := len(h.Calls); n > 0 {
		text += fmt.Sprintf("; %s, %s moved", count(n, "rescheduling call"), count(h.CallsSummary().Moves, "process"))
	}
	return text + "."
}

// clock labels times that are not this machine's.
func clock(h *ledger.History) string {
	if clock := h.Run.Clock(); clock != "" {
		return " (" + clock + ")"
	}
	return ""
}
