package tell

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// Table is a table before it is laid out.
type Table struct {
	Columns []Column
	Rows    [][]Cell
	Footer  []Cell
}

// Column has a heading for people and a name with a unit for programs.
type Column struct {
	Heading, Name string
	Text          bool
	// Drop is the rank in which columns are left out of a narrow table: the highest first, 0 never.
	Drop int
}

// Cell is one value of a table.
type Cell struct {
	Shown string // for people
	Exact string // for programs
}

func textCell(s string) Cell { s = ledger.Printable(s); return Cell{s, s} }
func intCell(n int) Cell     { return Cell{strconv.Itoa(n), strconv.Itoa(n)} }
func shareCell(x float64) Cell {
	return Cell{ledger.Percent(x), strconv.FormatFloat(x, 'g', 6, 64)}
}
func ratioCell(x float64) Cell {
	return Cell{fmt.Sprintf("%.2f", x), strconv.FormatFloat(x, 'g', 6, 64)}
}
func timeCell(d time.Duration) Cell { return Cell{ledger.Seconds(d), ledger.ExactSeconds(d)} }
func secondsCell(x float64) Cell {
	return Cell{ledger.SecondsOf(x), strconv.FormatFloat(x, 'g', 9, 64)}
}
func bytesCell(n int64) Cell { return Cell{ledger.Bytes(n), strconv.FormatInt(n, 10)} }

// Views are the names of the tables of an account: "verdict" is its conclusions only, "full" has
// everything, and "none" prints no account.
var Views = []string{"verdict", "sites", "steps", "ranks", "sets", "full", "none"}

// Table makes the table of ranks, of Sets, or of call sites. It is nil if name selects none.
func (v *View) Table(name string) *Table {
	switch name {
	case "none", "verdict":
		return nil
	case "ranks":
		return v.ranks()
	case "sets":
		return v.sets()
	default:
		return v.sites()
	}
}

// StepColumn is a column of figures of supersteps: its width in lines of 80 and of 120
// columns of the table by superstep (0: it is left out), and its cell of supersteps.
type StepColumn struct {
	Column       Column
	Narrow, Wide int
	Cell         func(run *ledger.Run, m *ledger.Machine, w *ledger.Window) Cell
}

// simple returns the cell of a figure that follows from the supersteps alone.
func simple(of func(w *ledger.Window) Cell) func(*ledger.Run, *ledger.Machine, *ledger.Window) Cell {
	return func(_ *ledger.Run, _ *ledger.Machine, w *ledger.Window) Cell { return of(w) }
}

// balance has the columns on the balance of supersteps.
var balance = []StepColumn{
	{Column{"w max", "w_max_s", false, 0}, 7, 7, simple(func(w *ledger.Window) Cell { return timeCell(w.Step.WorkMax) })},
	{Column{"w avg", "w_avg_s", false, 0}, 7, 7, simple(func(w *ledger.Window) Cell { return timeCell(w.Step.WorkAvg()) })},
	{Column{"w min", "w_min_s", false, 6}, 0, 7, simple(func(w *ledger.Window) Cell { return timeCell(w.Step.WorkMin) })},
	{Column{"imb", "imbalance", false, 0}, 5, 5, simple(func(w *ledger.Window) Cell { return ratioCell(w.Step.Imbalance()) })},
	{Column{"idle", "idle", false, 4}, 0, 6, simple(func(w *ledger.Window) Cell { return shareCell(w.Step.Idle()) })},
	{Column{"h/step", "h_per_step_bytes", false, 3}, 8, 8, simple(func(w *ledger.Window) Cell { return bytesCell(w.Step.H / int64(max(1, w.Step.Count))) })},
	{Column{"g*h+l", "predicted_s", false, 7}, 0, 7, func(_ *ledger.Run, m *ledger.Machine, w *ledger.Window) Cell {
		if m == nil {
			return Cell{"-", ""}
		}
		return secondsCell(m.Predict(&w.Step))
	}},
	{Column{"comm", "comm_s", false, 5}, 7, 7, simple(func(w *ledger.Window) Cell { return timeCell(w.Step.Comm) })},
	{Column{"t on r0", "t_rank0_s", false, 2}, 0, 7, simple(func(w *ledger.Window) Cell { return timeCell(w.Step.Total) })},
}

// StepColumns are the columns of the table by superstep.
var StepColumns = slices.Concat([]StepColumn{
	{Column{"step", "step", false, 0}, 7, 7, simple(func(w *ledger.Window) Cell { return intCell(w.Step.First) })},
	{Column{"of", "steps", false, 0}, 4, 4, simple(func(w *ledger.Window) Cell { return Cell{few(w.Step.Count), strconv.Itoa(w.Step.Count)} })},
	{Column{"at", "at_s", false, 0}, 0, 7, simple(func(w *ledger.Window) Cell { return timeCell(w.Step.At) })},
	{Column{"where", "where", true, 0}, 13, 13, simple(func(w *ledger.Window) Cell { return textCell(w.Where()) })},
}, balance, []StepColumn{
	{Column{"slowest", "slowest", true, 1}, 7, 8, simple(func(w *ledger.Window) Cell { return textCell(w.Slowest()) })},
	{Column{"moved", "moved", false, 0}, 5, 5, simple(func(w *ledger.Window) Cell {
		if w.Calls == 0 {
			return Cell{"", "0"}
		}
		return intCell(w.Moved)
	})},
	{Column{"", "calls", false, 0}, 0, 0, simple(func(w *ledger.Window) Cell { return intCell(w.Calls) })},
	{Column{"", "clock", true, 0}, 0, 0, func(run *ledger.Run, _ *ledger.Machine, _ *ledger.Window) Cell {
		return textCell(strings.ToLower(run.Clock()))
	}},
})

// few returns a number in no more than four characters.
func few(n int) string {
	switch {
	case n >= 9_999_500:
		return fmt.Sprintf("%.0fM", float64(n)/1e6)
	case n >= 9_999:
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	}
	return strconv.Itoa(n)
}

// sites has a row for each call site.
func (v *View) sites() *Table {
	t := &Table{Columns: []Column{{"where", "where", true, 0}, {"steps", "steps", false, 0}}}
	for _, c := range balance {
		t.Columns = append(t.Columns, c.Column)
	}
	t.Columns = append(t.Columns, Column{"slowest", "slowest", true, 1})
	row := func(where string, s *ledger.Step, slowest string) []Cell {
		cells := []Cell{textCell(where), intCell(s.Count)}
		for _, c := range balance {
			cells = append(cells, c.Cell(v.Account.Run(), v.Account.Machine, &ledger.Window{Step: *s}))
		}
		return append(cells, textCell(slowest))
	}
	sites := v.Account.Sites()
	for i := range sites {
		s := &sites[i]
		t.Rows = append(t.Rows, row(s.Step.Site, &s.Step, s.Slowest()))
	}
	if len(sites) > 1 {
		t.Footer = row("all", &v.Whole.Step, "")
	}
	return t
}

func (v *View) ranks() *Table {
	t := &Table{Columns: []Column{
		{"rank", "rank", false, 0}, {"host", "host", true, 0}, {"Set", "set", true, 2}, {"speed", "speed", false, 4},
		{"procs", "procs", false, 0}, {"work", "work_s", false, 0}, {"of avg", "work_of_avg", false, 1},
		{"idle", "idle", false, 0}, {"came", "came", false, 3}, {"left", "left", false, 3},
	}}
	run, s := v.Account.Run(), &v.Whole.Step
	for rank, p := range Ranks(v.Account, s) {
		is := run.Ranks[rank]
		t.Rows = append(t.Rows, []Cell{
			intCell(rank), textCell(is.Host), textCell(run.Sets[is.Set].Name), ratioCell(is.Speed),
			intCell(p.Procs), timeCell(p.Work), ratioCell(ledger.Ratio(p.Work.Seconds(), s.WorkAvg().Seconds())),
			shareCell(p.idle(s)), intCell(p.In), intCell(p.Out),
		})
	}
	return t
}

func (v *View) sets() *Table {
	t := &Table{Columns: []Column{
		{"Set", "set", true, 0}, {"manager", "manager", true, 2}, {"ranks", "ranks", false, 0}, {"speed", "speed", false, 4},
		{"procs", "procs", false, 0}, {"w avg", "w_avg_s", false, 0}, {"w max", "w_max_s", false, 0},
		{"idle", "idle", false, 0}, {"came", "came", false, 3}, {"left", "left", false, 3}, {"slowest", "slowest", true, 1},
	}}
	run, s := v.Account.Run(), &v.Whole.Step
	for set, p := range Sets(v.Account, s) {
		slowest := "-"
		if p.Slowest >= 0 {
			slowest = run.At(p.Slowest)
		}
		t.Rows = append(t.Rows, []Cell{
			textCell(run.Sets[set].Name), textCell(fmt.Sprintf("r%d", run.Sets[set].Manager)), intCell(p.Ranks), ratioCell(p.Speed),
			intCell(p.Procs), timeCell(p.Work), timeCell(p.Longest), shareCell(p.idle(s)),
			intCell(p.In), intCell(p.Out), textCell(slowest),
		})
	}
	return t
}

// Place sums up a rank or a Set in some supersteps.
type Place struct {
	Work    time.Duration // of a rank; the mean of a Set's ranks
	Longest time.Duration // of a Set's ranks
	Slowest int           // the rank with the longest work, -1 without ranks
	Speed   float64       // declared, of all ranks of a Set
	Ranks   int
	Procs   int // that are there now
	In, Out int // processes that came to its ranks and left them
}

// idle returns the part of all supersteps' longest work in which a rank or Set had no work.
func (p *Place) idle(s *ledger.Step) float64 {
	return 1 - ledger.Ratio(p.Work.Seconds(), s.WorkMax.Seconds())
}

// Ranks sums up each rank.
func Ranks(a *ledger.Account, s *ledger.Step) []Place {
	all := make([]Place, len(a.Run().Ranks))
	moved, _ := a.Moved()
	for rank := range all {
		p := &all[rank]
		p.Ranks, p.Slowest, p.Speed = 1, rank, a.Run().Ranks[rank].Speed
		if rank < len(s.Work) {
			p.Work = s.Work[rank]
		}
		p.Longest, p.In, p.Out = p.Work, moved[rank].In, moved[rank].Out
	}
	for _, rank := range a.Where() {
		all[rank].Procs++
	}
	return all
}

// Sets sums up each Set.
func Sets(a *ledger.Account, s *ledger.Step) []Place {
	all := make([]Place, len(a.Run().Sets))
	for set := range all {
		all[set].Slowest = -1
	}
	for rank, r := range Ranks(a, s) {
		p := &all[a.Run().Ranks[rank].Set]
		if p.Slowest < 0 || r.Work > p.Longest {
			p.Longest, p.Slowest = r.Work, rank
		}
		p.Work += r.Work
		p.Speed += r.Speed
		p.Ranks++
		p.Procs += r.Procs
		p.In += r.In
		p.Out += r.Out
	}
	for set := range all {
		all[set].Work /= time.Duration(max(1, all[set].Ranks))
	}
	return all
}

// Calls has the last rescheduling calls with moves, at most most of them.
func (v *View) Calls(most int) *Table {
	t := &Table{Columns: []Column{
		{"call", "call", false, 0}, {"step", "step", false, 0}, {"alpha", "alpha", false, 5}, {"moved", "moved", true, 4},
		{"bytes", "bytes", false, 3}, {"cost", "cost_s", false, 0}, {"seen", "seen_steps", false, 6},
		{"predicted", "predicted_s", false, 0}, {"realised", "realised_s", false, 0},
	}}
	last := v.Account.Calls().Last
	for _, c := range last[max(0, len(last)-most):] {
		predicted, realised, seen := textCell("asked for"), textCell("-"), textCell("-")
		if c.Horizon > 0 {
			predicted, realised = textCell(ledger.SecondsOf(c.Forecast)+" to come"), textCell("not seen")
		}
		if b := c.Brought; b != nil {
			predicted, realised, seen = secondsCell(b.Predicted), secondsCell(b.Realised), intCell(b.Steps)
		} else if o := c.Outcome; o != nil {
			predicted, realised, seen = secondsCell(o.Predicted), secondsCell(o.Realised), intCell(o.Steps)
		}
		const named = 3
		moves := Moves(c.Moves[:min(named, len(c.Moves))])
		if more := c.Moved - min(named, len(c.Moves)); more > 0 {
			moves += fmt.Sprintf(" +%d", more)
		}
		t.Rows = append(t.Rows, []Cell{
			intCell(c.Number), intCell(c.Step), textCell(fmt.Sprintf("%d > %d", c.AlphaBefore, c.AlphaAfter)),
			textCell(moves), bytesCell(c.Bytes), secondsCell(c.Move), seen, predicted, realised,
		})
	}
	return t
}

// Moves names moves.
func Moves(moves []ledger.Move) string {
	var names []string
	for _, m := range moves {
		names = append(names, fmt.Sprintf("p%d r%d>r%d", m.Pid, m.From, m.To))
	}
	return strings.Join(names, ", ")
}
