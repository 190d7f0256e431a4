package page

import (
	"cmp"
	"html/template"

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
	Bar, Timeline                   template.HTML
}

func newComparison(a, b *ledger.History) *comparison {
	c := &comparison{
		Title: "A: " + titleOf(a) + ", B: " + titleOf(b), Verdict: Verdicts(a, b),
		Differences: differences(a, b), Figures: figures(a, b), Sites: joinedSites(a, b),
		Parts: []string{"A", "B"}, Summaries: [2]*ledger.Summary{a.Summarize(a.End), b.Summarize(b.End)},
	}
	if titleOf(a) == titleOf(b) {
		c.Title = titleOf(a) + ", two runs"
	}
	ta, tb := a.Whole(), b.Whole()
	da, db := a.Account.Budget(&ta), b.Account.Budget(&tb)
	c.Factors = factorTree(a.Efficiency(&ta), b.Efficiency(&tb))
	c.Budget = budgetRows(da, db)
	ca, cb := courseOf(a, maxColumns), courseOf(b, maxColumns)
	longest, work := max(spread(&da), spread(&db)), workAxis(ca, cb)
	c.Sides[0] = newSide("A", a, &da, longest, ca, work)
	c.Sides[1] = newSide("B", b, &db, longest, cb, work)
	return c
}

func newSide(letter string, h *ledger.History, d *ledger.Budget, longest float64, all course, work svg.Axis) side {
	s := side{
		History: h, Letter: letter, Title: titleOf(h), Verdict: Verdict(h), Command: commandLine(&h.Run),
		Facts: factsOf(h), Notices: notices(h), Bar: budgetBar("budget-"+letter, h, d, longest),
	}
	if len(all) > 0 {
		s.Timeline = timeline("timeline-"+letter, h, all, work)
	}
	return s
}

// Clocks says whose times are compared, where any are not a machine's own.
func (c *comparison) Clocks() string {
	a, b := c.Sides[0].Run.Clock(), c.Sides[1].Run.Clock()
	if a == "" || b == "" || a == b {
		return cmp.Or(a, b)
	}
	return a + " and " + b
}

// Data is the figures of both runs, as JSON.
func (c *comparison) Data() (template.JS, error) {
	return ascii(map[string]any{"schema": ledger.Schema, "a": c.Summaries[0], "b": c.Summaries[1]})
}
