package page

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/internal/svg"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// WriteIndex makes the page of many runs: how the efficiency of each program went on from run
// to run and from commit to commit, and a line on each run. dir is the directory of the page:
// links to the runs' own pages, where they are there, begin from it.
func WriteIndex(w io.Writer, dir string, runs []*tell.View, hasPage func(run string) bool) error {
	return execute(w, "index.html", newIndex(dir, runs, hasPage))
}

// index is the page of many runs as the template sees it.
type index struct {
	Title  string
	Dir    string
	Runs   int
	Groups []indexGroup
}

// indexGroup has runs that can be compared: of one program, size and number of ranks.
type indexGroup struct {
	ID, Title, Words string
	Trend            template.HTML
	Rows             []indexRow // the latest first
}

type indexRow struct {
	Name, Link, Started, Commit, Strategy, Elapsed, Efficiency, Saved, Verdict string
	Lost                                                                       bool
	elapsed, efficiency                                                        float64
}

func newIndex(dir string, runs []*tell.View, hasPage func(run string) bool) *index {
	page := &index{Title: "Runs in " + filepath.Base(dir), Dir: dir, Runs: len(runs)}
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b *tell.View) int { return a.Account.Run().Started.Compare(b.Account.Run().Started) })
	groups := make(map[string][]*tell.View)
	var names []string
	for _, v := range runs {
		name := groupName(v)
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], v)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(groups[b]), len(groups[a])) })
	for i, name := range names {
		g := indexGroup{ID: fmt.Sprintf("group-%d", i+1), Title: name}
		for _, v := range groups[name] {
			g.Rows = append(g.Rows, newIndexRow(dir, v, hasPage))
		}
		g.Words = trendWords(g.Rows)
		g.Trend = trend(g.ID, name, g.Rows)
		slices.Reverse(g.Rows)
		page.Groups = append(page.Groups, g)
	}
	return page
}

// groupName names the properties that comparable runs share.
func groupName(v *tell.View) string {
	name := fmt.Sprintf("%s, %s on %s", v.Title, ledger.Count(v.Account.Run().Procs, "process"), ledger.Count(len(v.Account.Run().Ranks), "rank"))
	if clock := v.Account.Run().Clock(); clock != "" {
		name += ", " + clock
		if v.Account.Run().Platform != "" {
			name += " on " + filepath.Base(v.Account.Run().Platform)
		}
	}
	return name
}

func newIndexRow(dir string, v *tell.View, hasPage func(string) bool) indexRow {
	run := filepath.Dir(v.Record.Name)
	r := indexRow{
		Name: run, Started: v.Account.Run().Started.UTC().Format("2006-01-02 15:04"), Commit: v.Account.Run().Commit[:min(10, len(v.Account.Run().Commit))],
		Strategy: v.Account.Run().Strategy, Elapsed: seconds(v.Whole.Elapsed), Saved: "-", Verdict: v.Brief(),
		elapsed: v.Whole.Elapsed, efficiency: v.Parallel, Efficiency: factor(v.Parallel),
	}
	if name, err := filepath.Rel(dir, run); err == nil {
		r.Name = name
		if hasPage(run) {
			r.Link = "./" + filepath.ToSlash(filepath.Join(name, "report.html"))
		}
	}
	if g := &v.Gain; g.Known && g.Moves > 0 {
		switch part, error, known := g.Part(); {
		case !known:
			r.Saved = "not sure"
		case error > 0:
			r.Saved = share(part) + " ± " + share(error)
		default:
			r.Saved = share(part)
		}
		r.Saved = strings.Replace(r.Saved, "-", "−", 1)
		r.Lost = g.Lost()
	}
	r.Lost = r.Lost || v.Wrong || v.End == nil || v.End.Code != 0
	return r
}

// trendWords compares the last run with earlier ones.
func trendWords(rows []indexRow) string {
	n := len(rows)
	last := rows[n-1]
	text := fmt.Sprintf("%s; the last took %s at an efficiency of %s.", ledger.Count(n, "run"), last.Elapsed, last.Efficiency)
	if n < 2 {
		return text
	}
	var before []float64
	for _, r := range rows[:n-1] {
		before = append(before, r.efficiency)
	}
	slices.Sort(before)
	middle := before[len(before)/2]
	if middle <= 0 {
		return text
	}
	word := "above"
	if last.efficiency < middle {
		word = "below"
	}
	return text + fmt.Sprintf(" That is %s %s the middle of those before, %s.", share(max(last.efficiency-middle, middle-last.efficiency)/middle), word, factor(middle))
}

// trend draws the efficiency of runs in the order of their time, with the commits where they
// change.
func trend(id, name string, rows []indexRow) template.HTML {
	const left, right, top, bottom = 70.0, 930.0, 16.0, 190.0
	s := chart("trend-"+id, "trend-chart", chartWidth, bottom+54, "Parallel efficiency over runs", name+". "+trendWords(rows))
	y := svg.Linear(0, 1, bottom, top)
	s.Left(y, plain, left, right)
	s.Line("acceptable", left, y.At(ledger.Acceptable), right, y.At(ledger.Acceptable))
	at := func(i int) float64 { return left + (float64(i)+0.5)/float64(len(rows))*(right-left) }
	var line svg.Pen
	for i, r := range rows {
		if i == 0 {
			line.Move(at(i), y.At(r.efficiency))
		} else {
			line.To(at(i), y.At(r.efficiency))
		}
	}
	s.Path("trend", line.String())
	var good, bad svg.Pen
	last, end := "", -100.0
	for i, r := range rows {
		if r.Lost {
			bad.Diamond(at(i), y.At(r.efficiency), 6)
		} else {
			good.Diamond(at(i), y.At(r.efficiency), 6)
		}
		if r.Commit != "" && r.Commit != last {
			s.Line("axis", at(i), bottom, at(i), bottom+6)
			if at(i)-end > 110 {
				s.Text("tick", "middle", at(i), bottom+24, r.Commit[:min(7, len(r.Commit))])
				end = at(i)
			}
		}
		last = r.Commit
	}
	s.Path("run", good.String())
	s.Path("run bad", bad.String())
	s.Text("label", "middle", (left+right)/2, bottom+46, "runs, and commits where they change")
	return s.end()
}

// Value of a cell that sorts by a number.
func (r indexRow) ElapsedValue() string    { return strconv.FormatFloat(r.elapsed, 'g', -1, 64) }
func (r indexRow) EfficiencyValue() string { return strconv.FormatFloat(r.efficiency, 'g', -1, 64) }
