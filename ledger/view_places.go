package ledger

import (
	"fmt"
	"time"
)

// place is what a rank or a Set did in the run.
type place struct {
	Work    time.Duration // of a rank; the mean of a Set's ranks
	Longest time.Duration // of a Set's ranks
	Slowest int           // the rank that had it
	Speed   float64       // declared, of all ranks of a Set
	Ranks   int
	Procs   int // that are there now
	In, Out int // processes that came and left
}

// rankPlaces tells of each rank, setPlaces of each Set.
func (a *Account) rankPlaces() []place {
	all := make([]place, len(a.Run.Ranks))
	for rank := range all {
		p := &all[rank]
		p.Ranks, p.Slowest, p.Speed = 1, rank, a.Run.Ranks[rank].Speed
		if rank < len(a.whole.ByRank) {
			p.Work = a.whole.ByRank[rank]
		}
		p.Longest = p.Work
		p.In, p.Out = a.moved[rank].in, a.moved[rank].out
	}
	for _, rank := range a.where {
		all[rank].Procs++
	}
	return all
}

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

// idle is the part of all supersteps' longest work in which a place had none.
func (a *Account) idle(p *place) float64 {
	return 1 - ratio(p.Work.Seconds(), a.whole.WorkMax.Seconds())
}

func (a *Account) ranksView() *view {
	v := &view{columns: []column{
		{"rank", "rank", false, 0}, {"host", "host", true, 0}, {"Set", "set", true, 2}, {"speed", "speed", false, 4},
		{"procs", "procs", false, 0}, {"work", "work_s", false, 0}, {"of avg", "work_of_avg", false, 1},
		{"idle", "idle", false, 0}, {"came", "came", false, 3}, {"left", "left", false, 3},
	}}
	mean := a.whole.WorkAvg()
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
