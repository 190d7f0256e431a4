package page

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/internal/svg"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// comparison is the page of two runs as the template sees it.
type comparison struct {
	Sides       [2]side
	Title       string
	Verdict     string
	Differences []string // that make figures hard to compare
	Figures     []figure
	Factors     []factorRow
	Parts       []string
	Budget      []budgetRow
	Sites       table
	Summaries   [2]*tell.Summary
}

// side is one of the two runs.
type side struct {
	*tell.View
	Letter, Command string
	Facts           []ledger.Detail
	Notices         []string
	Bar             template.HTML
	Timeline        *timelines
}

func newComparison(a, b *tell.View) *comparison {
	c := &comparison{
		Title: "A: " + a.Title + ", B: " + b.Title, Verdict: Verdicts(a, b),
		Differences: differences(a, b), Figures: figures(a, b), Sites: joinedSites(a, b),
		Parts: []string{"A", "B"}, Summaries: [2]*tell.Summary{a.Summary(), b.Summary()},
	}
	if a.Title == b.Title {
		c.Title = a.Title + ", two runs"
	}
	da, db := a.Budget(), b.Budget()
	c.Factors = factorTree(a.Efficiency, b.Efficiency)
	c.Budget = budgetRows(da, db)
	ca, cb := courseOf(a, maxColumns), courseOf(b, maxColumns)
	longest := max(spread(&da), spread(&db))
	axes, preferLog := workAxes(ca, cb)
	c.Sides[0] = newSide("A", a, &da, longest, ca, axes, preferLog)
	c.Sides[1] = newSide("B", b, &db, longest, cb, axes, preferLog)
	return c
}

func newSide(letter string, v *tell.View, d *ledger.Budget, longest float64, all course, axes [2]svg.Axis, preferLog bool) side {
	s := side{
		View: v, Letter: letter, Command: commandLine(v.Account.Run()),
		Facts: factsOf(v), Notices: notices(v), Bar: budgetBar("budget-"+letter, v, d, longest),
	}
	s.Timeline = timelinesOf("timeline-"+letter, v, all, axes, preferLog)
	return s
}

// Headlines returns both times and, if one run was without rescheduling, the saving of the
// other one.
func (c *comparison) Headlines() []headline {
	a, b := &c.Sides[0], &c.Sides[1]
	ta, tb := a.Whole.Elapsed, b.Whole.Elapsed
	all := []headline{{Value: seconds(ta), Name: "A: " + a.Account.Run().Strategy}, {Value: seconds(tb), Name: "B: " + b.Account.Run().Strategy}}
	off := func(s *side) bool { return strings.HasPrefix(s.Account.Run().Strategy, "off") }
	with, without := ta, tb
	switch {
	case off(a) == off(b) || ta == 0 || tb == 0 || len(c.Differences) > 0 || a.Account.Run().Clock() != b.Account.Run().Clock():
		return all
	case off(a):
		with, without = tb, ta
	}
	saved := headline{Value: share(math.Abs(1 - with/without)), Name: "saved against -balance off", Lost: with > without}
	if saved.Lost {
		saved.Name = "longer than with -balance off"
	}
	if a.Account.Run().Clock() == "" { // the variation between such runs cannot be estimated from one of each
		saved.Value, saved.Name = seconds(math.Abs(without-with)), saved.Name+", in one run of each"
	}
	return append(all, saved)
}

// Clocks names the clocks of both times, "" if both are the machine's.
func (c *comparison) Clocks() string {
	a, b := c.Sides[0].Account.Run().Clock(), c.Sides[1].Account.Run().Clock()
	if a == "" || b == "" || a == b {
		return cmp.Or(a, b)
	}
	return a + " and " + b
}

// Data returns the figures of both runs, as JSON.
func (c *comparison) Data() (template.JS, error) {
	return ascii(map[string]any{"schema": ledger.Schema, "a": c.Summaries[0], "b": c.Summaries[1]})
}

// Verdicts compares the times of two runs, and names differences that make them hard to
// compare.
func Verdicts(a, b *tell.View) string {
	ta, tb := a.Whole.Elapsed, b.Whole.Elapsed
	text := fmt.Sprintf("A took %s%s, B %s%s", seconds(ta), clock(a), seconds(tb), clock(b))
	if ta > 0 {
		text += fmt.Sprintf(", %s times as long", plain(roundTo(tb/ta, 3)))
	}
	if odd := differences(a, b); len(odd) > 0 {
		return text + "; they are not comparable as they are: " + strings.Join(odd, "; ") + "."
	}
	return text + "."
}

// differences returns the reasons why the runs are not comparable, by their records.
func differences(a, b *tell.View) []string {
	const none, own = "not known", "of the machine"
	var all []string
	differ := func(what, x, y string) {
		if x != y {
			all = append(all, fmt.Sprintf("%s: %s in A, %s in B", what, cmp.Or(x, none), cmp.Or(y, none)))
		}
	}
	differ("program", programOf(a), programOf(b))
	differ("size", resultOf(a).Size, resultOf(b).Size)
	differ("processes", strconv.Itoa(a.Account.Run().Procs), strconv.Itoa(b.Account.Run().Procs))
	differ("ranks", strconv.Itoa(len(a.Account.Run().Ranks)), strconv.Itoa(len(b.Account.Run().Ranks)))
	if x, y := a.Account.Run().Clock(), b.Account.Run().Clock(); x == "" || y == "" { // else both are the platform's times
		differ("times", cmp.Or(x, own), cmp.Or(y, own))
	}
	differ("platform", a.On(), b.On())
	if !a.Account.Run().Simulated && !b.Account.Run().Simulated { // a simulated run has no result
		differ("checksum of the result", resultOf(a).Checksum, resultOf(b).Checksum)
	}
	differ("state", a.State(), b.State())
	return all
}

// programOf names the program of a run. For a simulated run that is the program whose record
// was simulated, or the workload if that was no record.
func programOf(v *tell.View) string {
	run := v.Account.Run()
	switch {
	case run.Recorded != "":
		return run.Recorded
	case run.Simulated:
		return resultOf(v).Title
	}
	return run.Program
}

// resultOf returns the program's report, or an empty one.
func resultOf(v *tell.View) *ledger.Result { return cmp.Or(v.Account.Result, &ledger.Result{}) }

// figure is a figure of both runs.
type figure struct{ Name, A, B, Difference, Ratio string }

// figures returns the figures that two runs are judged by.
func figures(a, b *tell.View) []figure {
	x, y := a.Summary(), b.Summary()
	number := func(name string, x, y float64, show func(float64) string) figure {
		f := figure{name, show(x), show(y), signed(y-x, show), "-"}
		if x > 0 && y >= 0 {
			f.Ratio = factor(y / x)
		}
		return f
	}
	integer := func(name string, x, y int) figure {
		return number(name, float64(x), float64(y), func(v float64) string { return strconv.Itoa(int(v)) })
	}
	size := func(v float64) string { return ledger.Bytes(int64(v)) }
	return []figure{
		number("elapsed", x.Elapsed, y.Elapsed, seconds),
		number("work of the slowest ranks", x.Budget.Work, y.Budget.Work, seconds),
		number("and on the best mapping, at least", x.Least, y.Least, seconds),
		number("unexplained", x.Budget.Unexplained, y.Budget.Unexplained, seconds),
		number("parallel efficiency", x.Efficiency.Parallel, y.Efficiency.Parallel, factor),
		integer("supersteps", x.Supersteps, y.Supersteps),
		integer("rescheduling calls", x.Calls.Calls, y.Calls.Calls),
		number("deciding", x.Calls.DecideTime, y.Calls.DecideTime, seconds),
		integer("moves", x.Calls.Moves, y.Calls.Moves),
		number("bytes moved", float64(x.Calls.Bytes), float64(y.Calls.Bytes), size),
		number("moving", x.Calls.MoveTime, y.Calls.MoveTime, seconds),
		number("predicted where the guard judged", x.Calls.Predicted, y.Calls.Predicted, seconds),
		number("measured there", x.Calls.Realised, y.Calls.Realised, seconds),
	}
}

// signed prints a difference with its sign.
func signed(x float64, show func(float64) string) string {
	switch {
	case x == 0:
		return "0"
	case x < 0:
		return "−" + show(-x)
	}
	return "+" + show(x)
}

// joinedSites puts the call sites of two runs side by side.
func joinedSites(a, b *tell.View) table {
	t := table{ID: "sites", Caption: "Call sites of both runs", Columns: []heading{
		{"where", false}, {"steps A", true}, {"steps B", true}, {"w max A", true}, {"w max B", true},
		{"max/avg A", true}, {"max/avg B", true}, {"total A", true}, {"total B", true}, {"B/A", true},
	}}
	x, y := sitesByName(a), sitesByName(b)
	var names []string
	for _, s := range append(a.Account.Sites(), b.Account.Sites()...) {
		if !slices.Contains(names, s.Step.Site) {
			names = append(names, s.Step.Site)
		}
	}
	if len(names) > maxTableRows {
		t.Note = fmt.Sprintf("The first %d of %d.", maxTableRows, len(names))
		names = names[:maxTableRows]
	}
	for _, name := range names {
		t.Rows = append(t.Rows, joinedRow(name, x[name], y[name]))
	}
	return t
}

func sitesByName(v *tell.View) map[string]*ledger.Step {
	all := make(map[string]*ledger.Step)
	for _, s := range v.Account.Sites() {
		all[s.Step.Site] = &s.Step
	}
	return all
}

// joinedRow has dashes for a run without the site.
func joinedRow(name string, a, b *ledger.Step) []cell {
	row := []cell{{Text: name}}
	add := func(of func(*ledger.Step) float64, show func(float64) string) {
		for _, s := range []*ledger.Step{a, b} {
			if s == nil {
				row = append(row, cell{Text: "-"})
				continue
			}
			row = append(row, cell{show(of(s)), strconv.FormatFloat(of(s), 'g', -1, 64)})
		}
	}
	add(func(s *ledger.Step) float64 { return float64(s.Count) }, func(x float64) string { return strconv.Itoa(int(x)) })
	add(func(s *ledger.Step) float64 { return s.WorkMax.Seconds() }, seconds)
	add((*ledger.Step).Imbalance, factor)
	add(func(s *ledger.Step) float64 { return s.Total.Seconds() }, seconds)
	if a == nil || b == nil || a.Total == 0 {
		return append(row, cell{Text: "-"})
	}
	ratio := b.Total.Seconds() / a.Total.Seconds()
	return append(row, cell{factor(ratio), strconv.FormatFloat(ratio, 'g', 6, 64)})
}
