package ledger

import (
	"fmt"
	"strconv"
	"time"
)

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
	// drop is the rank in which columns are left out where there is no room: the
	// highest first, 0 never.
	drop int
}

// cell is one value of a table.
type cell struct {
	shown string // for people
	exact string // for programs
}

func textCell(s string) cell { s = Printable(s); return cell{s, s} }
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

// view makes the table of the given name, nil if there is none.
func (a *Account) view(name string) *view {
	switch name {
	case "none", "verdict":
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

// balanceColumns are the columns on the balance of supersteps.
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
		v.rows = append(v.rows, a.row(&s.Step, []cell{textCell(s.Step.Site)}, textCell(s.usualSlowest())))
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
	return fmt.Sprintf("p%d in %.0f%%", best, 100*float64(times)/float64(s.Step.Count))
}

func (a *Account) stepsView() *view {
	v := &view{columns: append(append([]column{{"step", "step", false, 0}, {"where", "where", true, 0}}, balanceColumns...),
		column{"slowest", "slowest", true, 1}, column{"calls", "calls", false, 0}, column{"moved", "moved", false, 0})}
	for i := range a.windows {
		w := &a.windows[i]
		v.rows = append(v.rows, a.row(&w.Step, []cell{intCell(w.Step.First), textCell(w.where())}, textCell(w.slowest()), someCell(w.Calls), someCell(w.Moved)))
	}
	return v
}

// place sums up a rank or a Set in the run.
type place struct {
	Work    time.Duration // of a rank; the mean of a Set's ranks
	Longest time.Duration // of a Set's ranks
	Slowest int           // the rank that had it
	Speed   float64       // declared, of all ranks of a Set
	Ranks   int
	Procs   int // that are there now
	In, Out int // processes that came and left
}

// rankPlaces sums up each rank.
func (a *Account) rankPlaces() []place {
	all := make([]place, len(a.Run.Ranks))
	for rank := range all {
		p := &all[rank]
		p.Ranks, p.Slowest, p.Speed = 1, rank, a.Run.Ranks[rank].Speed
		if rank < len(a.whole.Step.Work) {
			p.Work = a.whole.Step.Work[rank]
		}
		p.Longest = p.Work
		p.In, p.Out = a.moved[rank].in, a.moved[rank].out
	}
	for _, rank := range a.where {
		all[rank].Procs++
	}
	return all
}

// setPlaces sums up each Set.
func (a *Account) setPlaces() []place {
	all := make([]place, len(a.Run.Sets))
	for set := range all {
		all[set].Slowest = -1
	}
	for rank, r := range a.rankPlaces() {
		p := &all[a.Run.Ranks[rank].Set]
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

// idle returns the part of all supersteps' longest work in which a place had none.
func (a *Account) idle(p *place) float64 {
	return 1 - ratio(p.Work.Seconds(), a.whole.Step.WorkMax.Seconds())
}

func (a *Account) ranksView() *view {
	v := &view{columns: []column{
		{"rank", "rank", false, 0}, {"host", "host", true, 0}, {"Set", "set", true, 2}, {"speed", "speed", false, 4},
		{"procs", "procs", false, 0}, {"work", "work_s", false, 0}, {"of avg", "work_of_avg", false, 1},
		{"idle", "idle", false, 0}, {"came", "came", false, 3}, {"left", "left", false, 3},
	}}
	mean := a.whole.Step.WorkAvg()
	for rank, p := range a.rankPlaces() {
		is := a.Run.Ranks[rank]
		v.rows = append(v.rows, []cell{
			intCell(rank), textCell(is.Host), textCell(a.Run.Sets[is.Set].Name), ratioCell(is.Speed),
			intCell(p.Procs), timeCell(p.Work), ratioCell(ratio(p.Work.Seconds(), mean.Seconds())),
			shareCell(a.idle(&p)), intCell(p.In), intCell(p.Out),
		})
	}
	return v
}

func (a *Account) setsView() *view {
	v := &view{columns: []column{
		{"Set", "set", true, 0}, {"manager", "manager", true, 2}, {"ranks", "ranks", false, 0}, {"speed", "speed", false, 4},
		{"procs", "procs", false, 0}, {"w avg", "w_avg_s", false, 0}, {"w max", "w_max_s", false, 0},
		{"idle", "idle", false, 0}, {"came", "came", false, 3}, {"left", "left", false, 3}, {"slowest", "slowest", true, 1},
	}}
	for set, p := range a.setPlaces() {
		slowest := "-"
		if p.Slowest >= 0 {
			slowest = a.Run.At(p.Slowest)
		}
		v.rows = append(v.rows, []cell{
			textCell(a.Run.Sets[set].Name), textCell(fmt.Sprintf("r%d", a.Run.Sets[set].Manager)), intCell(p.Ranks), ratioCell(p.Speed),
			intCell(p.Procs), timeCell(p.Work), timeCell(p.Longest), shareCell(a.idle(&p)),
			intCell(p.In), intCell(p.Out), textCell(slowest),
		})
	}
	return v
}
