package live

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/migbsp/migbsp/ledger"
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
		return f.whole()
	}
	return f.now()
}

// each returns a sum over supersteps for one of them.
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
	return percent(1 - float64(work)/float64(s.WorkMax))
}

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

// procs returns the number of processes of each rank.
func (f *frame) procs() []int {
	n := make([]int, len(f.Account.Run.Ranks))
	for _, rank := range f.Account.Where() {
		n[rank]++
	}
	return n
}

func (f *frame) rankTable() *table {
	t := &table{columns: []column{
		{head: "RANK", right: true}, {head: "host", least: 8}, {head: "Set", least: 6, rank: 3}, {head: "speed", right: true, rank: 6},
		{head: "procs", right: true, rank: 1}, {head: "moved", rank: 5}, {head: "work", right: true, rank: 2}, {head: "idle", right: true, rank: 4}, {head: "work of the longest", rank: 7, least: 8, grows: true},
	}}
	s, procs := f.span(), f.procs()
	longest := time.Duration(0)
	for _, w := range s.Work {
		longest = max(longest, w)
	}
	full, rest := "█", "·"
	if !f.unicode {
		full, rest = "#", "."
	}
	for rank, is := range f.Account.Run.Ranks {
		share, as := 0.0, plain
		if longest > 0 {
			share = float64(s.Work[rank]) / float64(longest)
		}
		if s.Work[rank] == longest && longest > 0 {
			as = warn
		}
		t.rows = append(t.rows, []chunk{
			{fmt.Sprint(rank), plain}, {clean(is.Host), plain}, {clean(f.Account.Run.Sets[is.Set].Name), plain}, {fmt.Sprintf("%.2f", is.Speed), plain},
			{fmt.Sprint(procs[rank]), plain}, {f.ranks.text(rank), plain}, {s.each(s.Work[rank]), as}, {s.idle(s.Work[rank]), plain},
			{bar(share, 20, full, rest), as},
		})
	}
	return t
}

// group sums up the ranks of a Set.
type group struct {
	ranks, procs int
	work         time.Duration // of all
	slowest      int           // rank, -1 if there are none
}

func (f *frame) groups(s *span) []group {
	all := make([]group, len(f.Account.Run.Sets))
	for i := range all {
		all[i].slowest = -1
	}
	procs := f.procs()
	for rank, is := range f.Account.Run.Ranks {
		g := &all[is.Set]
		g.ranks++
		g.procs += procs[rank]
		g.work += s.Work[rank]
		if g.slowest < 0 || s.Work[rank] > s.Work[g.slowest] {
			g.slowest = rank
		}
	}
	return all
}

func (f *frame) setTable() *table {
	t := &table{columns: []column{
		{head: "SET", least: 8}, {head: "manager", least: 10, rank: 6}, {head: "ranks", right: true, rank: 4}, {head: "procs", right: true},
		{head: "moved", rank: 2}, {head: "w avg", right: true, rank: 1}, {head: "w max", right: true, rank: 2}, {head: "idle", right: true, rank: 3}, {head: "slowest", least: 10, rank: 5},
	}}
	s := f.span()
	for set, g := range f.groups(&s) {
		is := f.Account.Run.Sets[set]
		most, mean, slowest := time.Duration(0), time.Duration(0), "-"
		if g.ranks > 0 {
			most, mean, slowest = s.Work[g.slowest], g.work/time.Duration(g.ranks), f.Account.Run.At(g.slowest)
		}
		t.rows = append(t.rows, []chunk{
			{clean(is.Name), plain}, {clean(f.Account.Run.At(is.Manager)), plain}, {fmt.Sprint(g.ranks), plain}, {fmt.Sprint(g.procs), plain},
			{f.sets.text(set), plain}, {s.each(mean), plain}, {s.each(most), plain}, {s.idle(mean), plain}, {clean(slowest), plain},
		})
	}
	return t
}

// siteTable has the places of the program, that where most time goes first.
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
			{clean(s.Site), plain}, {count(s.Count), plain}, {percent(part), plain}, {s.each(s.WorkMax), plain}, {s.each(s.WorkAvg()), plain},
			{fmt.Sprintf("%.2f", s.Imbalance()), plain}, {percent(s.Idle()), plain}, {ledger.Bytes(s.H / int64(max(1, s.Count))), plain}, {s.each(s.Comm), plain}, {s.each(s.Total), plain},
		})
	}
	return t
}

// sites returns the accounts of the places of the program.
func (f *frame) sites() []ledger.Site {
	var sites []ledger.Site
	if f.view.Whole {
		sites = f.Account.Sites()
	} else {
		var b ledger.Account
		for _, s := range f.recent {
			b.Enter(&s)
		}
		sites = b.Sites()
	}
	slices.SortStableFunc(sites, func(a, b ledger.Site) int { return cmp.Compare(b.Step.Total, a.Step.Total) })
	return sites
}
