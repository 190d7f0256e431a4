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
func (b *Book) rankPlaces() []place {
	all := make([]place, len(b.Run.Ranks))
	for rank := range all {
		p := &all[rank]
		p.Ranks, p.Slowest, p.Speed = 1, rank, b.Run.Ranks[rank].Speed
		if rank < len(b.whole.ByRank) {
			p.Work = b.whole.ByRank[rank]
		}
		p.Longest = p.Work
		p.In, p.Out = b.moved[rank].in, b.moved[rank].out
	}
	for _, rank := range b.where {
		all[rank].Procs++
	}
	return all
}

func (b *Book) setPlaces() []place {
	all := make([]place, len(b.Run.Sets))
	for set := range all {
		all[set].Slowest = -1
	}
	for rank, r := range b.rankPlaces() {
		p := &all[b.Run.Ranks[rank].Set]
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
func (b *Book) idle(p *place) float64 {
	return 1 - ratio(p.Work.Seconds(), b.whole.WorkMax.Seconds())
}

func (b *Book) ranksView() *view {
	v := &view{columns: []column{
		{"rank", "rank", false, 0}, {"host", "host", true, 0}, {"Set", "set", true, 2}, {"speed", "speed", false, 4},
		{"procs", "procs", false, 0}, {"work", "work_s", false, 0}, {"of avg", "work_of_avg", false, 1},
		{"idle", "idle", false, 0}, {"came", "came", false, 3}, {"left", "left", false, 3},
	}}
	mean := b.whole.WorkAvg()
	for rank, p := range b.rankPlaces() {
		is := b.Run.Ranks[rank]
		v.rows = append(v.rows, []cell{
			intCell(rank), textCell(is.Host), textCell(b.Run.Sets[is.Set].Name), ratioCell(is.Speed),
			intCell(p.Procs), timeCell(p.Work), ratioCell(ratio(p.Work.Seconds(), mean.Seconds())),
			shareCell(b.idle(&p)), intCell(p.In), intCell(p.Out),
		})
	}
	return v
}

func (b *Book) setsView() *view {
	v := &view{columns: []column{
		{"Set", "set", true, 0}, {"manager", "manager", true, 2}, {"ranks", "ranks", false, 0}, {"speed", "speed", false, 4},
		{"procs", "procs", false, 0}, {"w avg", "w_avg_s", false, 0}, {"w max", "w_max_s", false, 0},
		{"idle", "idle", false, 0}, {"came", "came", false, 3}, {"left", "left", false, 3}, {"slowest", "slowest", true, 1},
	}}
	for set, p := range b.setPlaces() {
		slowest := "-"
		if p.Slowest >= 0 {
			slowest = b.Run.At(p.Slowest)
		}
		v.rows = append(v.rows, []cell{
			textCell(b.Run.Sets[set].Name), textCell(fmt.Sprintf("r%d", b.Run.Sets[set].Manager)), intCell(p.Ranks), ratioCell(p.Speed),
			intCell(p.Procs), timeCell(p.Work), timeCell(p.Longest), shareCell(b.idle(&p)),
			intCell(p.In), intCell(p.Out), textCell(slowest),
		})
	}
	return v
}
