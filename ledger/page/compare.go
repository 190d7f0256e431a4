package page

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/internal/svg"
	"github.com/migbsp/migbsp/ledger"
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
	Summaries   [2]*ledger.Summary
}

// side is one of the two runs.
type side struct {
	*ledger.History
	Letter, Title, Verdict, Command string
	Facts                           []ledger.Detail
	Notices                         []string
	Bar                             template.HTML
	Timeline                        *timelines
}

func newComparison(a, b *ledger.History) *comparison {
	c := &comparison{
		Title: "A: " + titleOf(a) + ", B: " + titleOf(b), Verdict: Verdicts(a, b),
		Differences: differences(a, b), Figures: figures(a, b), Sites: joinedSites(a, b),
		Parts: []string{"A", "B"}, Summaries: [2]*ledger.Summary{a.Account.Summarize(a.End), b.Account.Summarize(b.End)},
	}
	if titleOf(a) == titleOf(b) {
		c.Title = titleOf(a) + ", two runs"
	}
	ta, tb := a.Account.Whole(), b.Account.Whole()
	da, db := a.Account.Budget(&ta), b.Account.Budget(&tb)
	c.Factors = factorTree(a.Account.Efficiency(&ta), b.Account.Efficiency(&tb))
	c.Budget = budgetRows(da, db)
	ca, cb := courseOf(a, maxColumns), courseOf(b, maxColumns)
	longest := max(spread(&da), spread(&db))
	axes, preferLog := workAxes(ca, cb)
	c.Sides[0] = newSide("A", a, &da, longest, ca, axes, preferLog)
	c.Sides[1] = newSide("B", b, &db, longest, cb, axes, preferLog)
	return c
}

func newSide(letter string, h *ledger.History, d *ledger.Budget, longest float64, all course, axes [2]svg.Axis, preferLog bool) side {
	s := side{
		History: h, Letter: letter, Title: titleOf(h), Verdict: h.Verdict(), Command: commandLine(&h.Account.Run),
		Facts: factsOf(h), Notices: notices(h), Bar: budgetBar("budget-"+letter, h, d, longest),
	}
	s.Timeline = timelinesOf("timeline-"+letter, h, all, axes, preferLog)
	return s
}

// Headlines returns both times and, where one run was without rescheduling, what the other
// saved by it.
func (c *comparison) Headlines() []headline {
	a, b := &c.Sides[0], &c.Sides[1]
	ta, tb := a.Account.Whole().Elapsed, b.Account.Whole().Elapsed
	all := []headline{{Value: seconds(ta), Name: "A: " + a.Account.Run.Strategy}, {Value: seconds(tb), Name: "B: " + b.Account.Run.Strategy}}
	off := func(s *side) bool { return strings.HasPrefix(s.Account.Run.Strategy, "off") }
	with, without := ta, tb
	switch {
	case off(a) == off(b) || ta == 0 || tb == 0 || len(c.Differences) > 0:
		return all
	case off(a):
		with, without = tb, ta
	}
	saved := headline{Value: share(math.Abs(1 - with/without)), Name: "saved against -balance off", Lost: with > without}
	if saved.Lost {
		saved.Name = "longer than with -balance off"
	}
	if a.Account.Run.Clock() == "" { // by how much such runs differ is not known from one of each
		saved.Value, saved.Name = seconds(math.Abs(without-with)), saved.Name+", in one run of each"
	}
	return append(all, saved)
}

// Clocks says whose times are compared, where any are not a machine's own.
func (c *comparison) Clocks() string {
	a, b := c.Sides[0].Account.Run.Clock(), c.Sides[1].Account.Run.Clock()
	if a == "" || b == "" || a == b {
		return cmp.Or(a, b)
	}
	return a + " and " + b
}

// Data returns the figures of both runs, as JSON.
func (c *comparison) Data() (template.JS, error) {
	return ascii(map[string]any{"schema": ledger.Schema, "a": c.Summaries[0], "b": c.Summaries[1]})
}

// Verdicts says of two runs which was shorter, and how far they can be compared.
func Verdicts(a, b *ledger.History) string {
	ta, tb := a.Account.Whole(), b.Account.Whole()
	text := fmt.Sprintf("A took %s%s, B %s%s", seconds(ta.Elapsed), clock(a), seconds(tb.Elapsed), clock(b))
	if ta.Elapsed > 0 {
		text += fmt.Sprintf(", %s times as long", plain(roundTo(tb.Elapsed/ta.Elapsed, 3)))
	}
	if odd := differences(a, b); len(odd) > 0 {
		return text + "; they are not comparable as they are: " + strings.Join(odd, "; ") + "."
	}
	return text + "."
}

// differences returns the reasons why the runs are not comparable, as far as the records
// show them.
func differences(a, b *ledger.History) []string {
	var all []string
	differ := func(what, x, y string) {
		if x != y {
			all = append(all, fmt.Sprintf("%s: %s in A, %s in B", what, orNone(x), orNone(y)))
		}
	}
	differ("program", a.Account.Run.Program, b.Account.Run.Program)
	differ("size", sizeOf(a), sizeOf(b))
	differ("processes", strconv.Itoa(a.Account.Run.Procs), strconv.Itoa(b.Account.Run.Procs))
	differ("ranks", strconv.Itoa(len(a.Account.Run.Ranks)), strconv.Itoa(len(b.Account.Run.Ranks)))
	differ("times", timesOf(a), timesOf(b))
	differ("platform", baseOf(a.Account.Run.Platform), baseOf(b.Account.Run.Platform))
	differ("checksum of the result", checksumOf(a), checksumOf(b))
	differ("state", state(a), state(b))
	return all
}

// baseOf returns the name of a file without where it is.
func baseOf(name string) string {
	if name == "" {
		return ""
	}
	return filepath.Base(name)
}

func orNone(s string) string {
	if s == "" {
		return "not known"
	}
	return s
}

func sizeOf(h *ledger.History) string {
	if h.Account.Result == nil {
		return ""
	}
	return h.Account.Result.Size
}

func checksumOf(h *ledger.History) string {
	if h.Account.Result == nil {
		return ""
	}
	return h.Account.Result.Checksum
}

func timesOf(h *ledger.History) string {
	return cmp.Or(h.Account.Run.Clock(), "of the machine")
}

// figure is a figure of both runs.
type figure struct{ Name, A, B, Difference, Ratio string }

// figures returns the figures that two runs are judged by.
func figures(a, b *ledger.History) []figure {
	x, y := a.Account.Summarize(a.End), b.Account.Summarize(b.End)
	wholes := func(n int) string { return strconv.Itoa(n) }
	number := func(name string, x, y float64, show func(float64) string) figure {
		f := figure{name, show(x), show(y), signed(y-x, show), "-"}
		if x > 0 && y >= 0 {
			f.Ratio = factor(y / x)
		}
		return f
	}
	integer := func(name string, x, y int) figure {
		return number(name, float64(x), float64(y), func(v float64) string { return wholes(int(v)) })
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

// joinedSites puts the call sites of two runs side by side, by their place.
func joinedSites(a, b *ledger.History) table {
	t := table{ID: "sites", Caption: "Call sites of both runs", Columns: []heading{
		{"where", false}, {"steps A", true}, {"steps B", true}, {"w max A", true}, {"w max B", true},
		{"max/avg A", true}, {"max/avg B", true}, {"total A", true}, {"total B", true}, {"B/A", true},
	}}
	x, y := sitesByName(a), sitesByName(b)
	var names []string
	for _, s := range append(a.Account.Sites(), b.Account.Sites()...) {
		if !slices.Contains(names, s.Site) {
			names = append(names, s.Site)
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

func sitesByName(h *ledger.History) map[string]*ledger.Step {
	all := make(map[string]*ledger.Step)
	for _, s := range h.Account.Sites() {
		all[s.Site] = &s
	}
	return all
}

// joinedRow has dashes where a run has never been at the place.
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
