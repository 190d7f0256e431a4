package main

import (
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/internal/svg"
)

// report prints the tables.
func (s *settings) report(session *frame.Session, all []*contest) error {
	session.Print("SIMULATED: all times are those of simulated platforms.")
	s.record(session, all)
	if s.each {
		session.Table(s.cases(all))
	}
	session.Table(s.worst(all))
	session.Table(s.distribution(all))
	session.Table(s.byKind(all))
	if s.plot != "" {
		return s.draw(s.plot, all)
	}
	return nil
}

// rival is a column of the comparison: a strategy, or an upper bound.
type rival struct {
	name  string
	saved func(c *contest) float64
}

func (s *settings) rivals() []rival {
	var list []rival
	for i, name := range s.balance {
		list = append(list, rival{name, func(c *contest) float64 { return c.outcomes[i].saved }})
	}
	if s.tries > 0 {
		list = append(list, rival{"all on one host", func(c *contest) float64 { return c.host }}, rival{"best that stays", func(c *contest) float64 { return c.static }})
	}
	return append(list, rival{"at most", func(c *contest) float64 { return c.possible }})
}

// chosen returns the saving of the best other strategy, chosen afterwards.
func (s *settings) chosen(c *contest) (best float64) {
	best = math.Inf(-1)
	for i, o := range c.outcomes {
		if s.balance[i] != ours {
			best = max(best, o.saved)
		}
	}
	return best
}

// best returns the best other strategy of each case as a rival, and whether there are several.
func (s *settings) best() (r rival, several bool) {
	return rival{"best other, chosen afterwards", s.chosen}, len(s.balance) > 2 && s.of(ours) >= 0
}

// compact are the rivals with the others of ours in one.
func (s *settings) compact() []rival {
	list := s.rivals()
	if best, several := s.best(); several {
		at := s.of(ours)
		list = append([]rival{list[at], best}, list[len(s.balance):]...)
	}
	return list
}

// distribution has the parts of the time that are saved, over all cases.
func (s *settings) distribution(all []*contest) frame.Table {
	t := frame.Table{
		Part: "distribution", Title: fmt.Sprintf("Part of the time without moves that is saved, in %d cases, %s (simulated)", len(all), s.seedsText()),
		Header: []string{"balance", "worst", "5 %", "median", "mean", "lose over 2 %", "lose over 3 %", "lose over 10 %", "deciding", "moving"}, Text: []int{0},
	}
	list := s.rivals()
	if best, several := s.best(); several {
		list = slices.Insert(list, len(s.balance), best)
	}
	for _, r := range list {
		saved := sorted(all, r.saved)
		sum := summarise(saved)
		row := []string{r.name, frame.Percent(sum.worst), frame.Percent(quantile(saved, 0.05)), frame.Percent(sum.median), frame.Percent(sum.mean),
			fmt.Sprint(below(saved, -0.02)), fmt.Sprint(sum.lose3), fmt.Sprint(sum.lose10)}
		if i := s.of(r.name); i >= 0 {
			row = append(row, frame.Percent(frame.Mean(sorted(all, func(c *contest) float64 { return c.outcomes[i].deciding }))),
				frame.Percent(frame.Mean(sorted(all, func(c *contest) float64 { return c.outcomes[i].moving }))))
		} else {
			row = append(row, "", "")
		}
		t.Add(row...)
	}
	if at := s.of(ours); at >= 0 {
		got := func(c *contest) float64 { return c.outcomes[at].saved }
		t.Notes = append(t.Notes,
			reached(all, got, func(c *contest) float64 { return max(got(c), c.static, s.chosen(c)) }, "the best of all other rows but the last reaches"),
			reached(all, got, func(c *contest) float64 { return c.possible }, "is saved at most"))
	}
	return t
}

// worthwhile is the part of the time from which a possible saving counts.
const worthwhile = 0.02

// reached reports the number of cases with a possible saving in which four fifths of it are saved.
func reached(all []*contest, got, possible func(c *contest) float64, what string) string {
	var parts []float64
	for _, c := range all {
		if most := possible(c); most >= worthwhile {
			parts = append(parts, got(c)/most)
		}
	}
	if len(parts) == 0 {
		return "In no case there is something to save."
	}
	slices.Sort(parts)
	return fmt.Sprintf("Of what %s, %s saves at least 0.8 in %d of %d cases with something to save; a quarter of them is below %.2f, half below %.2f.",
		what, ours, len(parts)-below(parts, 0.8), len(parts), quantile(parts, 0.25), quantile(parts, 0.5))
}

// even is the difference of parts of the time within which two strategies are as good.
const even = 0.005

// byKind has the means of each kind of load, and in how many of its cases ours is better
// and worse than the best of the others.
func (s *settings) byKind(all []*contest) frame.Table {
	t := frame.Table{Part: "kinds", Title: "The same by kind of load: means", Header: []string{"load", "cases"}, Text: []int{0}}
	list := s.compact()
	for _, r := range list {
		t.Header = append(t.Header, r.name)
	}
	at := s.of(ours)
	versus := at >= 0 && len(s.balance) > 1
	if at >= 0 {
		t.Header = append(t.Header, "worst of "+ours)
	}
	if versus {
		t.Header = append(t.Header, "wins", "losses")
	}
	for _, group := range s.loads.groups {
		var some []*contest
		for _, c := range all {
			if slices.Contains(c.entry.groups, group) {
				some = append(some, c)
			}
		}
		if len(some) == 0 {
			continue
		}
		row := []string{group, fmt.Sprint(len(some))}
		for _, r := range list {
			row = append(row, frame.Percent(frame.Mean(sorted(some, r.saved))))
		}
		if at >= 0 {
			row = append(row, frame.Percent(sorted(some, func(c *contest) float64 { return c.outcomes[at].saved })[0]))
		}
		if versus {
			ahead := sorted(some, func(c *contest) float64 { return c.outcomes[at].saved - s.chosen(c) })
			wins := len(ahead) - below(ahead, even)
			row = append(row, fmt.Sprint(wins), fmt.Sprint(below(ahead, -even)))
		}
		t.Add(row...)
	}
	return t
}

// cases has a line for each case.
func (s *settings) cases(all []*contest) frame.Table {
	t := frame.Table{Title: "Each case", Header: []string{"case", "procs", "hosts", "without"}, Text: []int{0}}
	for _, r := range s.rivals() {
		t.Header = append(t.Header, r.name)
	}
	if s.of(ours) >= 0 {
		t.Header = append(t.Header, "calls", "moves", "deciding", "moving")
	}
	for _, c := range all {
		row := []string{c.entry.name(), fmt.Sprint(c.procs), fmt.Sprint(c.hosts), fmt.Sprintf("%.3g s", c.off)}
		for _, r := range s.rivals() {
			row = append(row, frame.Percent(r.saved(c)))
		}
		if at := s.of(ours); at >= 0 {
			o := c.outcomes[at]
			row = append(row, fmt.Sprint(o.calls), fmt.Sprint(o.moves), frame.Percent(o.deciding), frame.Percent(o.moving))
		}
		t.Add(row...)
	}
	return t
}

// sorted is a value of all contests, ascending.
func sorted(all []*contest, value func(c *contest) float64) []float64 {
	return slices.Sorted(slices.Values(frame.Each(all, value)))
}

// quantile is the value below which a part of an ascending list lies.
func quantile(list []float64, part float64) float64 {
	return list[min(len(list)-1, int(part*float64(len(list))))]
}

// below is how many values of an ascending list are below a limit.
func below(list []float64, limit float64) int {
	n, _ := slices.BinarySearch(list, limit)
	return n
}

const (
	plotLeft, plotTop      = 190.0, 44.0
	plotWidth, plotRow     = 620.0, 26.0
	plotStyle              = `text{font:11px sans-serif;fill:#222}.title{font-size:14px}.grid{stroke:#ddd}.zero{stroke:#888}.all{stroke:#9aa7b8;stroke-width:2}.half{fill:#6b7c93}.ours{fill:#d55e00}.middle-mark{stroke:#fff;stroke-width:2}`
	plotLeast, plotLargest = -0.6, 1.0
)

// draw writes a picture: of each strategy a line from the worst case to the best, a bar over
// the middle half of the cases, and a mark at the median.
func (s *settings) draw(path string, all []*contest) error {
	list := s.rivals()
	bottom := plotTop + plotRow*float64(len(list))
	p := svg.File(plotLeft+plotWidth+30, bottom+40, plotStyle)
	p.Text("title", "start", 16, 22, fmt.Sprintf("Part of the time saved in %d cases: worst to best, middle half, median (simulated)", len(all)))
	x := svg.Axis{From: plotLeft, To: plotLeft + plotWidth, Low: plotLeast, High: plotLargest}
	at := func(value float64) float64 { return x.At(max(plotLeast, min(plotLargest, value))) }
	for k := -6; k <= 10; k += 2 {
		class := "grid"
		if k == 0 {
			class = "zero"
		}
		p.Line(class, at(float64(k)/10), plotTop-6, at(float64(k)/10), bottom)
		p.Text("tick", "middle", at(float64(k)/10), bottom+16, fmt.Sprintf("%d %%", 10*k))
	}
	for i, r := range list {
		saved := sorted(all, r.saved)
		y := plotTop + plotRow*float64(i) + plotRow/2
		p.Text("tick", "end", plotLeft-10, y+4, r.name)
		p.Line("all", at(saved[0]), y, at(saved[len(saved)-1]), y)
		class := "half"
		if r.name == ours {
			class = "ours"
		}
		low, high := quantile(saved, 0.25), quantile(saved, 0.75)
		p.Rect(class, at(low), y-7, max(2, at(high)-at(low)), 14)
		p.Line("middle-mark", at(quantile(saved, 0.5)), y-7, at(quantile(saved, 0.5)), y+7)
	}
	p.Text("tick", "start", 16, bottom+34, fmt.Sprintf("Losses of more than %.0f %% are drawn at %.0f %%.", -100*plotLeast, 100*plotLeast))
	return os.WriteFile(path, []byte(p.End()+"\n"), 0o666)
}
