package live

import (
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// head shows the program, its progress and its efficiency.
func (f *frame) head() {
	f.add(f.title(), f.progressLine(), f.efficiency(), f.curve(imbalance, func(w *ledger.Window) float64 { return w.Step.Imbalance() }, 1, func(x float64) string { return fmt.Sprintf("%.2f", x) }))
	if f.size.Height >= 8 {
		f.add(f.curve("w max", longest, 0, func(x float64) string { return ledger.Seconds(time.Duration(x)) }))
	}
}

const imbalance = "w max/avg" // the name of the curve

// title names the program and its state.
func (f *frame) title() line {
	state, short, as := f.State.condition(f.from)
	var right line
	if f.view.Paused {
		right = append(right, chunk{"PAUSED  ", warn})
	}
	if whose := f.State.Account.Run().Clock(); whose != "" {
		right = append(right, chunk{whose + "  ", warn})
	}
	if f.size.Width < 60 {
		state = short
	}
	right = append(right, chunk{state, as})
	run := f.State.Account.Run()
	left := facts(f.size.Width-right.width()-gap,
		item{text(clean(run.Program), strong), 0},
		item{text(clean(strings.Join(run.Args, " ")), plain), 4},
		item{text(several(len(run.Ranks), "rank"), plain), 1},
		item{text(several(len(run.Sets), "Set"), plain), 2},
		item{text(several(run.Procs, "process"), plain), 3},
		item{job(run), 5},
	)
	return ends(f.size.Width, left, right)
}

func job(run *ledger.Run) line {
	if run.Job == "" {
		return nil
	}
	return text("job "+clean(run.Job), plain)
}

// several returns a number of things.
func several(n int, thing string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(thing, "s"):
		thing += "es"
	default:
		thing += "s"
	}
	return fmt.Sprintf("%s %s", count(n), thing)
}

// progressLine shows the progress of the run and the time to its end.
func (f *frame) progressLine() line {
	whole := f.State.Account.Whole()
	elapsed := "elapsed " + clock(time.Duration(min(1e9, whole.Elapsed)*1e9))
	if whose := f.State.Account.Run().Clock(); whose != "" {
		elapsed = strings.ToLower(whose) + " time " + clock(time.Duration(min(1e9, whole.Elapsed)*1e9))
	}
	var part, stage, eta line
	if p := f.State.progress; p != nil && p.Stages > 0 && f.State.End == nil {
		loop := ""
		if p.Loop > 1 {
			loop = fmt.Sprintf(" of loop %d", p.Loop)
		}
		part = text(fmt.Sprintf("%.0f%%", 100*p.Part()), strong)
		stage = text(fmt.Sprintf("stage %s of %s%s", count(p.Stage), count(p.Stages), loop), plain)
		if left, known := f.State.remaining(f.from.Wall); known && left-f.from.Age >= time.Second {
			eta = text("eta "+clock((left-f.from.Age).Truncate(time.Second)), plain)
		}
	}
	return facts(f.size.Width,
		item{text("superstep "+count(f.State.superstep()), plain), 0},
		item{part, 1}, item{stage, 4}, item{text(elapsed, plain), 2}, item{eta, 3},
		item{f.pace(), 5}, item{f.movesSoFar(), 6},
	)
}

// movesSoFar counts processes that have moved.
func (f *frame) movesSoFar() line {
	n := f.State.Account.Calls().Moves
	if n == 0 {
		return nil
	}
	last := 0
	for _, c := range f.State.calls {
		if c.Moved > 0 {
			last = c.Step
		}
	}
	return text(fmt.Sprintf("%s, last after %s", several(n, "move"), count(last)), plain)
}

// pace shows alpha and D of the last rescheduling call.
func (f *frame) pace() line {
	n := len(f.State.calls)
	if n == 0 || f.State.calls[n-1].AlphaAfter == 0 {
		return nil
	}
	return text(fmt.Sprintf("alpha %d  D %.2g", f.State.calls[n-1].AlphaAfter, f.State.calls[n-1].D), plain)
}

// efficiency shows the factors of the run so far.
func (f *frame) efficiency() line {
	whole := f.State.Account.Whole()
	e := f.State.Account.Efficiency(&whole)
	as := good
	switch {
	case e.Parallel < ledger.Acceptable/2:
		as = bad
	case e.Parallel < ledger.Acceptable:
		as = warn
	}
	var product, sets line
	sign := "= "
	for _, f := range e.Factors() {
		if f.Depth != 1 {
			continue
		}
		product = append(product, chunk{fmt.Sprintf("%s%s %.2f", sign, f.Short, f.Value), plain})
		sign = "  x "
	}
	if len(f.State.Account.Run().Sets) > 1 {
		sets = text(fmt.Sprintf("LB = in Sets %.2f x between %.2f", e.InSets, e.BetweenSets), plain)
	}
	gauge := line{{"[", plain}, {bar(e.Parallel, 20, "#", "."), as}, {"]", plain}}
	return facts(f.size.Width,
		item{line{{"PE ", plain}, {fmt.Sprintf("%.2f", e.Parallel), as}}, 0}, item{gauge, 2}, item{product, 1}, item{sets, 3})
}

// curve draws the course of a figure of the run, after its mean.
func (f *frame) curve(name string, of func(*ledger.Window) float64, low float64, show func(float64) string) line {
	label, figure := 9, 7
	if f.size.Width < 40 {
		label, figure = 5, 5
		name = map[string]string{imbalance: "imb"}[name]
	}
	points := f.State.course(f.view.Whole)
	mean := "-"
	if len(points) > 0 {
		mean = show(of(&merge(points, 1)[0]))
	}
	start := line{{padded(name, label, false), plain}, {" ", plain}, {padded(mean, figure, true), strong}, {" ", plain}}
	room := f.size.Width - start.width()
	span := f.spanText()
	if room >= 30+gap+widthOf(span) {
		room -= gap + widthOf(span)
	} else {
		span = ""
	}
	points = merge(points, min(room, recentLines))
	var values []float64
	for i := range points {
		values = append(values, of(&points[i]))
	}
	levels := bars
	if !f.unicode {
		levels = asciiBars
	}
	drawn := append(start, marked(spark(values, low, levels), points)...)
	if span != "" && name == imbalance {
		drawn = append(drawn, chunk{"  " + span, faint})
	}
	return drawn
}

// spanText names the supersteps that curves and tables show.
func (f *frame) spanText() string {
	if f.view.Whole {
		return "whole run"
	}
	return "last " + several(f.State.now().Count, "superstep")
}

// marked has the points after which processes moved in another style.
func marked(curve string, points []ledger.Window) line {
	var l line
	for i, r := range []rune(curve) {
		as := plain
		if points[i].Moved > 0 {
			as = warn
		}
		if n := len(l); n > 0 && l[n-1].as == as {
			l[n-1].text += string(r)
			continue
		}
		l = append(l, chunk{string(r), as})
	}
	return l
}

// quietAfter is the age of the last entry from which it is shown.
const quietAfter = 30 * time.Second

// condition returns the state of the run, in full and in short, with its style.
func (s *State) condition(from Source) (text, short string, as style) {
	switch {
	case s.End != nil && s.End.Code == 0:
		return "ended with code 0", "code 0", good
	case s.End != nil && s.End.Code > 128:
		number := s.End.Code - 128
		return fmt.Sprintf("ended by signal %d (%v)", number, syscall.Signal(number)), fmt.Sprintf("signal %d", number), bad
	case s.End != nil:
		return fmt.Sprintf("ended with code %d", s.End.Code), fmt.Sprintf("code %d", s.End.Code), bad
	case from.Age >= quietAfter:
		return "quiet for " + clock(from.Age.Truncate(time.Second)), "quiet", warn
	}
	return "running", "running", good
}
