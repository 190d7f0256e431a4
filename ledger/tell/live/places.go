package live

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// table makes one of Tables.
func (f *frame) table(name string) *table {
	switch name {
	case "ranks":
		return f.rankTable()
	case "sites":
		return f.siteTable()
	case "calls":
		return f.callTable()
	default:
		return f.setTable()
	}
}

// span returns the supersteps that the figures are of.
func (f *frame) span() span {
	if f.view.Whole {
		return f.State.whole()
	}
	return f.State.now()
}

// each returns the mean of one superstep for a sum over supersteps.
func (s *span) each(d time.Duration) string {
	if s.Count == 0 {
		return "-"
	}
	return ledger.Seconds(d / time.Duration(s.Count))
}

// idle returns the part of the supersteps' longest work in which a rank had none.
func (s *span) idle(work time.Duration) string {
	if s.WorkMax <= 0 {
		return "-"
	}
	return ledger.Percent(1 - float64(work)/float64(s.WorkMax))
}

// flux shows the processes that came to a rank or Set and left it, "" for none.
func flux(f ledger.Flux) string {
	if f.In == 0 && f.Out == 0 {
		return ""
	}
	return fmt.Sprintf("+%d -%d", f.In, f.Out)
}

func (f *frame) rankTable() *table {
	t := &table{columns: []column{
		{head: "RANK", right: true}, {head: "host", least: 8}, {head: "Set", least: 6, rank: 3}, {head: "speed", right: true, rank: 6},
		{head: "procs", right: true, rank: 1}, {head: "moved", rank: 5}, {head: "work", right: true, rank: 2}, {head: "idle", right: true, rank: 4}, {head: "work of the longest", rank: 7, least: 8, grows: true},
	}}
	s := f.span()
	places := tell.Ranks(&f.State.Account, &s.Step)
	longest := time.Duration(0)
	for i := range places {
		longest = max(longest, places[i].Work)
	}
	full, rest := "█", "·"
	if !f.unicode {
		full, rest = "#", "."
	}
	for rank, p := range places {
		is, share, as := f.State.Account.Run().Ranks[rank], 0.0, plain
		if longest > 0 {
			share = float64(p.Work) / float64(longest)
		}
		if p.Work == longest && longest > 0 {
			as = warn
		}
		t.rows = append(t.rows, []chunk{
			{fmt.Sprint(rank), plain}, {clean(is.Host), plain}, {clean(f.State.Account.Run().Sets[is.Set].Name), plain}, {fmt.Sprintf("%.2f", is.Speed), plain},
			{fmt.Sprint(p.Procs), plain}, {flux(ledger.Flux{In: p.In, Out: p.Out}), plain}, {s.each(p.Work), as}, {s.idle(p.Work), plain},
			{bar(share, 20, full, rest), as},
		})
	}
	return t
}

func (f *frame) setTable() *table {
	t := &table{columns: []column{
		{head: "SET", least: 8}, {head: "manager", least: 10, rank: 6}, {head: "ranks", right: true, rank: 4}, {head: "procs", right: true},
		{head: "moved", rank: 2}, {head: "w avg", right: true, rank: 1}, {head: "w max", right: true, rank: 2}, {head: "idle", right: true, rank: 3}, {head: "slowest", least: 10, rank: 5},
	}}
	s := f.span()
	_, between := f.State.Account.Moved()
	for set, p := range tell.Sets(&f.State.Account, &s.Step) {
		is, slowest := f.State.Account.Run().Sets[set], "-"
		if p.Slowest >= 0 {
			slowest = f.State.Account.Run().At(p.Slowest)
		}
		t.rows = append(t.rows, []chunk{
			{clean(is.Name), plain}, {clean(f.State.Account.Run().At(is.Manager)), plain}, {fmt.Sprint(p.Ranks), plain}, {fmt.Sprint(p.Procs), plain},
			{flux(between[set]), plain}, {s.each(p.Work), plain}, {s.each(p.Longest), plain}, {s.idle(p.Work), plain}, {clean(slowest), plain},
		})
	}
	return t
}

// siteTable returns the table of call sites, the most expensive first.
func (f *frame) siteTable() *table {
	t := &table{columns: []column{
		{head: "WHERE", least: 14}, {head: "steps", right: true, rank: 2}, {head: "time", right: true}, {head: "w max", right: true, rank: 4}, {head: "w avg", right: true, rank: 6},
		{head: "imb", right: true, rank: 1}, {head: "idle", right: true, rank: 3}, {head: "h", right: true, rank: 7}, {head: "comm", right: true, rank: 7}, {head: "each", right: true, rank: 5},
	}}
	sites := f.sites()
	all := time.Duration(0)
	for i := range sites {
		all += sites[i].Step.Total
	}
	for i := range sites {
		s := span{sites[i].Step}
		part := 0.0
		if all > 0 {
			part = float64(s.Total) / float64(all)
		}
		t.rows = append(t.rows, []chunk{
			{clean(s.Site), plain}, {count(s.Count), plain}, {ledger.Percent(part), plain}, {s.each(s.WorkMax), plain}, {s.each(s.WorkAvg()), plain},
			{fmt.Sprintf("%.2f", s.Imbalance()), plain}, {ledger.Percent(s.Idle()), plain}, {ledger.Bytes(s.H / int64(max(1, s.Count))), plain}, {s.each(s.Comm), plain}, {s.each(s.Total), plain},
		})
	}
	return t
}

// sites returns the accounts of the call sites of the program.
func (f *frame) sites() []ledger.Site {
	var sites []ledger.Site
	if f.view.Whole {
		sites = f.State.Account.Sites()
	} else {
		var b ledger.Account
		for _, s := range f.State.recent {
			b.Enter(&s)
		}
		sites = b.Sites()
	}
	slices.SortStableFunc(sites, func(a, b ledger.Site) int { return cmp.Compare(b.Step.Total, a.Step.Total) })
	return sites
}

// callTable has the last rescheduling calls, the newest first.
func (f *frame) callTable() *table {
	t := &table{columns: []column{
		{head: "CALL AT", right: true}, {head: "alpha", rank: 4}, {head: "candidates (PM)", least: 15, rank: 3}, {head: "moved", least: 8},
		{head: "bytes", right: true, rank: 5}, {head: "cost", right: true, rank: 2}, {head: "predicted", right: true, rank: 1}, {head: "seen", right: true, rank: 1},
	}}
	for i := len(f.State.calls) - 1; i >= 0; i-- {
		c := &f.State.calls[i]
		row := []chunk{
			{count(c.Step), plain}, {fmt.Sprintf("%d>%d", c.AlphaBefore, c.AlphaAfter), plain}, {candidates(c.Verdicts), plain}, {moved(c), plain},
		}
		if c.Moved > 0 {
			predicted, seen := brought(c)
			row[3].as = good
			row = append(row, chunk{ledger.Bytes(c.Bytes), plain}, chunk{ledger.SecondsOf(c.Move), plain}, chunk{predicted, plain}, seen)
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// candidates returns the processes with the largest potentials.
func candidates(verdicts []ledger.Verdict) string {
	const most = 3
	var list []string
	for i := range verdicts[:min(most, len(verdicts))] {
		v := &verdicts[i]
		list = append(list, fmt.Sprintf("p%d %s", v.Pid, ledger.SecondsOf(v.PM())))
	}
	text := strings.Join(list, ", ")
	if more := len(verdicts) - most; more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	return text
}

// moved lists the moves of a call, or returns the reason for making none.
func moved(c *ledger.Call) string {
	if c.Moved == 0 {
		return "none: " + clean(c.Kept)
	}
	text := tell.Moves(c.Moves)
	if c.Moved > len(c.Moves) {
		text = strings.TrimPrefix(text+", …", ", ")
	}
	if c.Moved > 1 {
		text = fmt.Sprintf("%d: %s", c.Moved, text)
	}
	return text
}

// brought returns the saving predicted for a call's moves, and the measured one.
func brought(c *ledger.Call) (predicted string, seen chunk) {
	o := c.Outcome
	switch {
	case o == nil && c.Horizon > 0:
		return ledger.SecondsOf(c.Forecast), chunk{"...", faint}
	case o == nil:
		return "-", chunk{"...", faint}
	}
	seen = chunk{ledger.SecondsOf(o.Realised), good}
	if o.Realised < o.Cost {
		seen.as = warn
	}
	if !o.Sure {
		seen = chunk{seen.text + "?", faint}
	}
	return ledger.SecondsOf(o.Predicted), seen
}
