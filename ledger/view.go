package ledger

import (
	"fmt"
	"strconv"
	"time"
)

// Views are the tables that can be made of an account; "none" is no table.
var Views = []string{"sites", "steps", "ranks", "sets", "none"}

// view is a table before it is laid out.
type view struct {
	columns []column
	rows    [][]cell
	footer  []cell
}

// column has a heading for people and a name with a unit for programs.
type column struct {
	heading, name string
	text          bool
	// drop is how early the column is left out where there is no room: the
	// highest first, 0 never.
	drop int
}

// cell is one value of a table.
type cell struct {
	shown string // for people
	exact string // for programs
}

func textCell(s string) cell { return cell{s, s} }
func intCell(n int) cell     { return cell{strconv.Itoa(n), strconv.Itoa(n)} }

// someCell shows a number only if it is not 0.
func someCell(n int) cell {
	if n == 0 {
		return cell{"", "0"}
	}
	return intCell(n)
}
func shareCell(x float64) cell {
	return cell{percent(x), strconv.FormatFloat(x, 'g', 6, 64)}
}
func ratioCell(x float64) cell {
	return cell{fmt.Sprintf("%.2f", x), strconv.FormatFloat(x, 'g', 6, 64)}
}
func timeCell(d time.Duration) cell {
	return cell{Seconds(d), string(appendSeconds(nil, d))}
}
func secondsCell(x float64) cell {
	return cell{secondsText(x), strconv.FormatFloat(x, 'g', 9, 64)}
}
func bytesCell(n int64) cell { return cell{Bytes(n), strconv.FormatInt(n, 10)} }

// view makes the table of the given name, nil for "none".
func (a *Account) view(name string) *view {
	switch name {
	case "none":
		return nil
	case "steps":
		return a.stepsView()
	case "ranks":
		return a.ranksView()
	case "sets":
		return a.setsView()
	default:
		return a.sitesView()
	}
}

// balanceColumns tell how balanced supersteps were.
var balanceColumns = []column{
	{"steps", "steps", false, 0},
	{"w max", "w_max_s", false, 0}, {"w avg", "w_avg_s", false, 0}, {"w min", "w_min_s", false, 6},
	{"imb", "imbalance", false, 0}, {"idle", "idle", false, 4},
	{"h/step", "h_per_step_bytes", false, 3}, {"g*h+l", "predicted_s", false, 7}, {"comm", "comm_s", false, 5}, {"t on r0", "t_rank0_s", false, 2},
}

func (a *Account) balanceCells(s *Step) []cell {
	predicted := cell{"-", ""}
	if a.Machine != nil {
		predicted = secondsCell(a.Machine.Predict(s))
	}
	return []cell{
		intCell(s.Count), timeCell(s.WorkMax), timeCell(s.WorkAvg()), timeCell(s.WorkMin),
		ratioCell(s.Imbalance()), shareCell(s.Idle()),
		bytesCell(s.H / int64(max(1, s.Count))), predicted, timeCell(s.Comm), timeCell(s.Total),
	}
}

// row puts cells before and after those on balance.
func (a *Account) row(s *Step, before []cell, after ...cell) []cell {
	return append(append(before, a.balanceCells(s)...), after...)
}

func (a *Account) sitesView() *view {
	v := &view{columns: append(append([]column{{"where", "where", true, 0}}, balanceColumns...), column{"slowest", "slowest", true, 1})}
	for i := range a.sites {
		s := &a.sites[i]
		v.rows = append(v.rows, a.row(&s.Step, []cell{textCell(s.Site)}, textCell(s.usualSlowest())))
	}
	if len(a.sites) > 1 {
		v.footer = a.row(&a.whole.Step, []cell{textCell("all")}, textCell(""))
	}
	return v
}

// usualSlowest names the process that was slowest most often at a place.
func (s *site) usualSlowest() string {
	best, times := -1, 0
	for pid, n := range s.slowest {
		if n > times || n == times && pid < best {
			best, times = pid, n
		}
	}
	switch {
	case best < 0:
		return "-"
	case s.blurred:
		return fmt.Sprintf("p%d mostly", best)
	}
	return fmt.Sprintf("p%d in %.0f%%", best, 100*float64(times)/float64(s.Count))
}

func (a *Account) stepsView() *view {
	v := &view{columns: append(append([]column{{"step", "step", false, 0}, {"where", "where", true, 0}}, balanceColumns...),
		column{"slowest", "slowest", true, 1}, column{"calls", "calls", false, 0}, column{"moved", "moved", false, 0})}
	for i := range a.windows {
		w := &a.windows[i]
		where, slowest := w.Site, "-"
		if w.Mixed {
			where = "several"
		}
		if w.Slowest >= 0 {
			slowest = fmt.Sprintf("p%d@r%d", w.Slowest, w.SlowestRank)
		}
		v.rows = append(v.rows, a.row(&w.Step, []cell{intCell(w.First), textCell(where)}, textCell(slowest), someCell(w.Calls), someCell(w.Moved)))
	}
	return v
}
