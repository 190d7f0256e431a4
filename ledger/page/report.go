package page

import (
	"fmt"
	"html/template"

	"github.com/migbsp/migbsp/ledger"
)

// report is the page of a run as the template sees it.
type report struct {
	*ledger.History
	Title, Verdict, Command string
	Facts                   []ledger.Detail
	Notices                 []string
	Unequal                 bool // speeds
	Factors                 []factorRow
	Parts                   []string // of the run that Factors has values for
	Budget                  budget
	Headlines               []headline
	Next                    []string
	Losses                  []loss
	MoreLosses              int
	Versus                  template.HTML
	VersusWords             string
	CourseWords             string
	Timeline                *timelines
	Network                 network
	Heat                    heat
	HeatWords               string
	Where                   mapping
	Rescheduling            callsSection
	Tables                  []table
	Platform                platform
	Figures                 data
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

func newReport(h *ledger.History, traffic *ledger.Traffic) *report {
	all := courseOf(h, maxColumns)
	rows := rowsOf(&h.Account.Run)
	r := &report{
		History: h, Title: titleOf(h), Verdict: h.Verdict(), Command: commandLine(&h.Account.Run),
		Facts: factsOf(h), Notices: notices(h), Unequal: unequal(&h.Account.Run),
		Budget: newBudget(h), Rescheduling: newCalls(h), Platform: newPlatform(h),
		Tables: []table{
			accountTable(&h.Account, "sites", "Call sites: where supersteps ended"),
			ranksTable(h),
			accountTable(&h.Account, "sets", "Sets"),
		},
	}
	if h.Account.Result != nil {
		for i := range h.Account.Result.Tables {
			r.Tables = append(r.Tables, resultTable(fmt.Sprintf("own%d", i), &h.Account.Result.Tables[i]))
		}
	}
	r.factors()
	c := h.Account.Conclude(h.End)
	r.Headlines, r.Next, r.Versus, r.VersusWords = headlinesOf(c), c.Next, withAndWithout(h, c), versusWords(&c.Gain)
	r.Losses, r.MoreLosses = lossesOf(h, r.Rescheduling.Detail)
	r.Network = newNetwork(h, traffic)
	if len(all) > 0 {
		axes, preferLog := workAxes(all)
		r.Timeline = timelinesOf("timeline", h, all, axes, preferLog)
		r.Heat = heatMap("heat", h, all, rows)
		r.Where = mappingOf("mapping", h, all)
	}
	r.CourseWords = courseWords(all)
	if len(rows) < len(h.Account.Run.Ranks) {
		r.HeatWords = fmt.Sprintf("Rows are means of up to %d ranks that follow one another in a Set. ", rows[0].Last-rows[0].First+1)
	}
	r.Figures = newData(h, all, r.Heat, r.Where)
	return r
}

// Data returns the figures for the script, as JSON.
func (r *report) Data() (template.JS, error) { return ascii(r.Figures) }

// factors lays out the efficiency of the whole run, and beside it the efficiency of the
// part before the first move.
func (r *report) factors() {
	t := r.Account.Whole()
	if t.Step.Count == 0 {
		return
	}
	parts := []ledger.Efficiency{r.Account.Efficiency(&t)}
	r.Parts = []string{"whole run"}
	if before := r.Account.Before(); before != nil && before.Step.Count > 0 {
		parts = append([]ledger.Efficiency{r.Account.Efficiency(before)}, parts...)
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

func newBudget(h *ledger.History) budget {
	t := h.Account.Whole()
	d := h.Account.Budget(&t)
	b := budget{Bar: budgetBar("budget", h, &d, spread(&d)), Parts: budgetRows(d)}
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
			of := 0.0
			if all[k].Elapsed > 0 {
				of = x / all[k].Elapsed
			}
			row.Seconds, row.Shares = append(row.Seconds, x), append(row.Shares, of)
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
