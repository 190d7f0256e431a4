package page

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"

	"github.com/migbsp/migbsp/internal/svg"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// timeline draws the work of ranks in each superstep as a band from the least to
// the most, with the mean; below it calls and moves, and alpha. y is the axis of
// the work, which two runs may share.
func timeline(id string, v *tell.View, all course, y svg.Axis) template.HTML {
	const marks, alpha, bottom = 252, 286, 336
	height := float64(bottom + 40)
	if len(v.Record.Calls) == 0 {
		height = marks
	}
	s := chart(id, "timeline", chartWidth, height, "Work of the ranks in each superstep", timelineWords(v, all), "data-course", "")
	s.Left(y, inSeconds, plotLeft, plotRight)
	s.Vertical("label", 16, (y.From+y.To)/2, "work per superstep"+clock(v))
	s.band(all, y)
	if len(v.Record.Calls) == 0 {
		s.supersteps(all, y.From)
		return s.end()
	}
	s.Line("axis", plotLeft, y.From, plotRight, y.From)
	s.callMarks(v, all, marks)
	s.alphaLine(v, all, alpha, bottom-8)
	s.supersteps(all, bottom)
	return s.end()
}

// timelines has the work of ranks on a linear and on a logarithmic axis; the reader sees
// one of them.
type timelines struct {
	ID          string
	Linear, Log template.HTML
	PreferLog   bool
}

// timelinesOf draws the work of a run on both of the axes that workAxes gives.
func timelinesOf(id string, v *tell.View, all course, axes [2]svg.Axis, preferLog bool) *timelines {
	if len(all) == 0 {
		return nil
	}
	return &timelines{ID: id, Linear: timeline(id, v, all, axes[0]), Log: timeline(id+"-log", v, all, axes[1]), PreferLog: preferLog}
}

// workAxes fits the work of all given runs on a linear and on a logarithmic axis. The
// latter is preferred if supersteps differ much.
func workAxes(runs ...course) (axes [2]svg.Axis, preferLog bool) {
	const top, bottom = 14, 216
	var high float64
	var most []float64
	for _, all := range runs {
		for i := range all {
			c := &all[i]
			x := c.per(c.Step.WorkMax)
			high = max(high, x)
			if x > 0 {
				most = append(most, x)
			}
		}
	}
	if len(most) == 0 {
		return [2]svg.Axis{svg.Linear(0, 1e-6, bottom, top), svg.Logarithmic(1e-9, 1e-6, bottom, top)}, false
	}
	slices.Sort(most)
	low := max(most[len(most)/50]/20, high/1e6)
	return [2]svg.Axis{svg.Linear(0, high, bottom, top), svg.Logarithmic(low, high, bottom, top)}, high > 20*most[len(most)/2]
}

// band draws the work. Few columns are drawn as steps, many as a curve.
func (s picture) band(all course, y svg.Axis) {
	var over, under, mean svg.Pen
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
			over.Move(x, y.At(c.per(c.Step.WorkMax)))
			mean.Move(x, y.At(c.per(c.Step.WorkAvg())))
			return
		}
		over.To(x, y.At(c.per(c.Step.WorkMax)))
		mean.To(x, y.At(c.per(c.Step.WorkAvg())))
	})
	var back [][2]float64
	points(func(i int, x float64) { back = append(back, [2]float64{x, y.At(all[i].per(all[i].Step.WorkMin))}) })
	slices.Reverse(back)
	for _, p := range back {
		under.To(p[0], p[1])
	}
	if started {
		s.Path("band", over.String()+under.String()+"Z")
		s.Path("most", over.String())
		s.Path("mean", mean.String())
	}
}

// callMarks draws a line for each call, and a triangle for each call with moves, with the number of
// moved processes.
func (s picture) callMarks(v *tell.View, all course, y float64) {
	s.Text("tick", "end", plotLeft-6, y-12, "moved")
	s.Text("tick", "end", plotLeft-6, y+8, "call")
	moving := 0
	for i := range v.Record.Calls {
		if v.Record.Calls[i].Moved > 0 {
			moving++
		}
	}
	var calls, moves svg.Pen
	end, last := -100.0, -1.0
	for i := range v.Record.Calls {
		c := &v.Record.Calls[i]
		x := all.after(c.Step)
		if x != last {
			calls.Move(x, y+2)
			calls.To(x, y+12)
		}
		last = x
		if c.Moved == 0 {
			continue
		}
		moves.Triangle(x, y, 10, 9)
		if moving <= 40 && x-end > 20 {
			s.Text("note", "middle", x, y-12, strconv.Itoa(c.Moved))
			end = x
		}
	}
	s.Path("call", calls.String())
	s.Path("moved", moves.String())
}

// alphaLine draws the number of supersteps between calls.
func (s picture) alphaLine(v *tell.View, all course, top, bottom float64) {
	low, high := v.Record.Calls[0].AlphaBefore, v.Record.Calls[0].AlphaBefore
	for i := range v.Record.Calls {
		low, high = min(low, v.Record.Calls[i].AlphaAfter), max(high, v.Record.Calls[i].AlphaAfter)
	}
	low = max(1, low)
	y := svg.Axis{Low: float64(low), High: float64(max(low+1, high)), From: bottom, To: top, Log: true}
	s.Text("tick", "end", plotLeft-6, bottom+4, strconv.Itoa(low))
	if high > low {
		s.Text("tick", "end", plotLeft-6, top+4, strconv.Itoa(high))
	}
	s.Vertical("label", plotLeft-50, (top+bottom)/2, "alpha")
	var line svg.Pen
	last := y.At(float64(v.Record.Calls[0].AlphaBefore))
	line.Move(plotLeft, last)
	for i := range v.Record.Calls {
		next := y.At(float64(v.Record.Calls[i].AlphaAfter))
		if next != last {
			x := all.after(v.Record.Calls[i].Step)
			line.To(x, last)
			line.To(x, next)
		}
		last = next
	}
	line.To(plotRight, last)
	s.Path("alpha", line.String())
}

func timelineWords(v *tell.View, all course) string {
	least, most := all.widths()
	text := fmt.Sprintf("Longest, mean and shortest work of %s in %s", ledger.Count(len(v.Account.Run().Ranks), "rank"), ledger.Count(v.Account.Steps(), "superstep"))
	if most > 1 {
		text += fmt.Sprintf(", %d to %d added up in a column", least, most)
	}
	if n := len(v.Record.Calls); n > 0 {
		text += fmt.Sprintf("; %s, %s moved", ledger.Count(n, "rescheduling call"), ledger.Count(v.Account.Calls().Moves, "process"))
	}
	return text + "."
}

// clock labels times that are not this machine's.
func clock(v *tell.View) string {
	if clock := v.Account.Run().Clock(); clock != "" {
		return " (" + clock + ")"
	}
	return ""
}
