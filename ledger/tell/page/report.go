package page

import (
	"fmt"
	"html/template"
	"slices"

	"github.com/migbsp/migbsp/internal/svg"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// report is the page of a run as the template sees it. Its methods make the sections, so
// that the template calls each of them once.
type report struct {
	*tell.View
	Factors      []factorRow
	Parts        []string // of the run that Factors has values for
	Losses       []loss
	MoreLosses   int
	Heat         heat
	Where        mapping
	Rescheduling callsSection

	all     course
	rows    []row
	traffic *ledger.Traffic
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
	r := &report{View: v, Rescheduling: newCalls(v), all: courseOf(v, maxColumns), rows: rowsOf(v.Account.Run()), traffic: traffic}
	r.factors()
	r.Losses, r.MoreLosses = lossesOf(v, r.Rescheduling.Detail)
	if len(r.all) > 0 {
		r.Heat = heatMap("heat", v, r.all, r.rows)
		r.Where = mappingOf("mapping", v, r.all)
	}
	return r
}

func (r *report) Command() string            { return commandLine(r.Account.Run()) }
func (r *report) Facts() []ledger.Detail     { return factsOf(r.View) }
func (r *report) Notices() []string          { return notices(r.View) }
func (r *report) Unequal() bool              { return unequal(r.Account.Run()) }
func (r *report) Headlines() []headline      { return headlinesOf(r.View) }
func (r *report) Versus() template.HTML      { return withAndWithout(r.View) }
func (r *report) VersusWords() string        { return versusWords(&r.Gain) }
func (r *report) Budget() budget             { return newBudget(r.View) }
func (r *report) Hosts() template.HTML       { return hostsChart("hosts", r.View) }
func (r *report) Network() network           { return newNetwork(r.View, r.traffic) }
func (r *report) Platform() platform         { return newPlatform(r.View) }
func (r *report) Data() (template.JS, error) { return ascii(newData(r.View, r.all, r.Heat, r.Where)) }

// Tables returns the tables of sites, ranks and Sets, and the program's own.
func (r *report) Tables() []table {
	all := []table{
		accountTable(r.View, "sites", "Call sites: where supersteps ended"),
		ranksTable(r.View),
		accountTable(r.View, "sets", "Sets"),
	}
	if r.Account.Result != nil {
		for i := range r.Account.Result.Tables {
			all = append(all, resultTable(fmt.Sprintf("own%d", i), &r.Account.Result.Tables[i]))
		}
	}
	return all
}

// Timeline returns the timelines of the run, nil if the record has no superstep.
func (r *report) Timeline() *timelines {
	if len(r.all) == 0 {
		return nil
	}
	axes, preferLog := workAxes(r.all)
	return timelinesOf("timeline", r.View, r.all, axes, preferLog)
}

// HostsWords describes the chart of hosts.
func (r *report) HostsWords() string {
	all := hostCounts(r.View)
	return hostsWords(mostUsed(all), len(all), len(r.Record.Moves) > 0)
}

// HeatWords returns the number of ranks that a row of the heat map averages, as text, or "" if it
// is one.
func (r *report) HeatWords() string {
	if len(r.rows) == len(r.Account.Run().Ranks) {
		return ""
	}
	return fmt.Sprintf("Rows are means of up to %d ranks that follow one another in a Set. ", r.rows[0].Last-r.rows[0].First+1)
}

// CourseWords returns the number of supersteps in a column of the charts, as text.
func (r *report) CourseWords() string {
	least, most := r.all.widths()
	switch {
	case most <= 1:
		return "Each column is a superstep."
	case least == most:
		return fmt.Sprintf("Each column is %d supersteps, added up.", most)
	}
	return fmt.Sprintf("Columns are %d to %d supersteps, added up: the run has more than fit, or its record has them so. The timeline shows the mean of a column's supersteps.", least, most)
}

// factors lays out the efficiency of the whole run, and next to it the efficiency of the part
// before the first move.
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

// factorRow is a factor of the efficiency, of one or two parts of a run or of
// two runs.
type factorRow struct {
	Name    string
	Depth   int
	Values  []float64
	Bars    template.HTML
	Meaning string
}

// meanings explain the factors, in their order.
var meanings = [...]string{
	"time in which ranks ran their work over ranks × elapsed time; load balance × serialisation × capacity × transfer",
	"mean over largest work of a rank in the whole time; in Sets × between Sets",
	"mean of the Set that works most over the largest",
	"mean of all over the mean of the Set that works most",
	"low if ranks take turns in being the slowest",
	"low if ranks had work and were not granted a processor: quota, steal, other programs",
	"low if communication, barriers and rescheduling take time",
}

// factorTree lays out the factors of efficiencies side by side.
func factorTree(parts ...ledger.Efficiency) []factorRow {
	tree := make([]factorRow, len(meanings))
	for p := range parts {
		for i, f := range parts[p].Factors() {
			tree[i].Name, tree[i].Depth, tree[i].Meaning = f.Name, f.Depth, meanings[i]
			tree[i].Values = append(tree[i].Values, f.Value)
		}
	}
	for i := range tree {
		tree[i].Bars = bars(tree[i].Values...)
	}
	tree[0].Name += " efficiency"
	return tree
}

// unequal reports whether ranks were declared to have different speeds.
func unequal(run *ledger.Run) bool {
	return slices.ContainsFunc(run.Ranks, func(r ledger.Rank) bool { return r.Speed != run.Ranks[0].Speed })
}

// bars draws one bar per value between 0 and 1, one below the other, with a mark at the acceptable
// value. The table next to it has the values.
func bars(values ...float64) template.HTML {
	const width, each = 240.0, 9.0
	height := each*float64(len(values)) + 6
	s := picture{svg.New(width, height, "class", "bars", "width", fmt.Sprint(width), "height", fmt.Sprint(height), "preserveAspectRatio", "none", "aria-hidden", "true")}
	s.Rect("rail", 0, 2, width, height-4)
	for i, x := range values {
		class := fmt.Sprintf("bar%d", i+2-len(values))
		s.Rect(class, 0, 3+each*float64(i), width*max(0, min(1, x)), each-1)
	}
	s.Line("limit", width*ledger.Acceptable, 0, width*ledger.Acceptable, height)
	return s.end()
}
