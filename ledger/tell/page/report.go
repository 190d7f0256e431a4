package page

import (
	"fmt"
	"html/template"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// report is the page of a run as the template sees it.
type report struct {
	*tell.View
	Command      string
	Facts        []ledger.Detail
	Notices      []string
	Unequal      bool // speeds
	Factors      []factorRow
	Parts        []string // of the run that Factors has values for
	Budget       budget
	Headlines    []headline
	Losses       []loss
	MoreLosses   int
	Versus       template.HTML
	VersusWords  string
	CourseWords  string
	Timeline     *timelines
	Network      network
	Heat         heat
	HeatWords    string
	Where        mapping
	Rescheduling callsSection
	Tables       []table
	Platform     platform
	Figures      data
}

// budget is the part of a page on the time budget.
type budget struct {
	Bar   template.HTML
	Parts []budgetRow
	Note  string
}

type budgetRow struct {
	Key     int
	Name    string
	Seconds []float64 // of one run or two
	Shares  []float64
	Meaning string
}

func newReport(v *tell.View, traffic *ledger.Traffic) *report {
	all := courseOf(v, maxColumns)
	rows := rowsOf(&v.Account.Run)
	r := &report{
		View: v, Command: commandLine(&v.Account.Run),
		Facts: factsOf(v), Notices: notices(v), Unequal: unequal(&v.Account.Run),
		Budget: newBudget(v), Rescheduling: newCalls(v), Platform: newPlatform(v),
		Tables: []table{
			accountTable(v, "sites", "Call sites: where supersteps ended"),
			ranksTable(v),
			accountTable(v, "sets", "Sets"),
		},
	}
	if v.Account.Result != nil {
		for i := range v.Account.Result.Tables {
			r.Tables = append(r.Tables, resultTable(fmt.Sprintf("own%d", i), &v.Account.Result.Tables[i]))
		}
	}
	r.factors()
	r.Headlines, r.Versus, r.VersusWords = headlinesOf(v), withAndWithout(v), versusWords(&v.Gain)
	r.Losses, r.MoreLosses = lossesOf(v, r.Rescheduling.Detail)
	r.Network = newNetwork(v, traffic)
	if len(all) > 0 {
		axes, preferLog := workAxes(all)
		r.Timeline = timelinesOf("timeline", v, all, axes, preferLog)
		r.Heat = heatMap("heat", v, all, rows)
		r.Where = mappingOf("mapping", v, all)
	}
	r.CourseWords = courseWords(all)
	if len(rows) < len(v.Account.Run.Ranks) {
		r.HeatWords = fmt.Sprintf("Rows are means of up to %d ranks that follow one another in a Set. ", rows[0].Last-rows[0].First+1)
	}
	r.Figures = newData(v, all, r.Heat, r.Where)
	return r
}

// Data returns the figures for the script, as JSON.
func (r *report) Data() (template.JS, error) { return ascii(r.Figures) }

// factors lays out the efficiency of the whole run, and beside it the efficiency of the
// part before the first move.
func (r *report) factors() {
	if r.Whole.Step.Count == 0 {
		return
	}
	parts := []ledger.Efficiency{r.Efficiency}
	r.Parts = []string{"whole run"}
	if before := r.Account.Before(); before != nil && before.Step.Count > 0 {
		parts = append([]ledger.Efficiency{*r.Before()}, parts...)
		r.Parts = []string{"before first move", "whole run"}
	}
	r.Factors = factorTree(parts...)
}

// budgetMeanings explain the parts of a budget.
var budgetMeanings = map[string]string{
	"work (max)":      "work of the slowest rank in each superstep",
	"CPU not granted": "cores did something else while ranks had work",
	"h g":             "bytes, as the model predicts",
	"S l":             "barriers, as the model predicts",
	"rescheduling":    "deciding in rescheduling calls",
	"migration":       "moving processes",
	"unexplained":     "what the parts leave of the elapsed time",
}

func newBudget(v *tell.View) budget {
	d := v.Budget()
	b := budget{Bar: budgetBar("budget", v, &d, spread(&d)), Parts: budgetRows(d)}
	if d.Unexplained < -1e-9 {
		b.Note = "The parts claim more than elapsed, so unexplained is negative: h g and S l are what the model predicts, and the model predicted too much."
	}
	return b
}

// budgetRows puts the parts of budgets side by side.
func budgetRows(all ...ledger.Budget) []budgetRow {
	var rows []budgetRow
	for i, part := range all[0].Parts() {
		row := budgetRow{Key: i + 1, Name: part.Name, Meaning: budgetMeanings[part.Name]}
		for k := range all {
			x := all[k].Parts()[i].Seconds
			row.Seconds, row.Shares = append(row.Seconds, x), append(row.Shares, ledger.Share(x, all[k].Elapsed))
		}
		rows = append(rows, row)
	}
	return rows
}

// courseWords says what a column of the charts stands for.
func courseWords(all course) string {
	least, most := all.widths()
	switch {
	case most <= 1:
		return "Each column is a superstep."
	case least == most:
		return fmt.Sprintf("Each column is %d supersteps, added up.", most)
	}
	return fmt.Sprintf("Columns are %d to %d supersteps, added up: the run has more than fit, or its record has them so. The timeline shows the mean of a column's supersteps.", least, most)
}
