package page

import (
	"fmt"
	"sort"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// maxColumns bounds the course of a run on the page: a chart has about as many
// pixels.
const maxColumns = 1000

// column is the account of consecutive supersteps, with the work of ranks.
type column struct{ ledger.Window }

// per returns a sum's part of one superstep, in seconds.
func (c *column) per(sum time.Duration) float64 { return sum.Seconds() / float64(max(1, c.Step.Count)) }

func (c *column) add(s *ledger.Step) {
	if c.Step.Count == 0 {
		c.Step.Site, c.Step.Work = s.Site, make([]time.Duration, len(s.Work))
	}
	c.Add(s)
}

// course is a run in columns, one after the other.
type course []column

// courseOf adds up adjacent accounts until at most most columns are left. An account of the record
// is not divided. Accounts that overlap, because their supersteps ended at different call sites,
// are added up.
func courseOf(v *tell.View, most int) course {
	total := 0
	for i := range v.Record.Steps {
		total += v.Record.Steps[i].Count
	}
	width := (total + most - 1) / most
	var all course
	for i := range v.Record.Steps {
		s := &v.Record.Steps[i]
		if n := len(all); n == 0 || all[n-1].Step.Count >= width && s.First > all[n-1].Step.Last {
			all = append(all, column{})
		}
		all[len(all)-1].add(s)
	}
	for i := range v.Record.Calls {
		if at := all.at(v.Record.Calls[i].Step); at >= 0 {
			all[at].Calls++
			all[at].Moved += v.Record.Calls[i].Moved
		}
	}
	return all
}

// at returns the column with a superstep, the last if it is later than all, -1 if all is empty.
func (all course) at(step int) int {
	i := sort.Search(len(all), func(i int) bool { return all[i].Step.Last >= step })
	return min(i, len(all)-1)
}

// widths returns the fewest and most supersteps that a column stands for.
func (all course) widths() (least, most int) {
	for i := range all {
		if least == 0 || all[i].Step.Count < least {
			least = all[i].Step.Count
		}
		most = max(most, all[i].Step.Count)
	}
	return least, most
}

// maxRows bounds the rows of a picture: beyond it ranks share rows.
const maxRows = 256

// row is consecutive ranks of a Set.
type row struct {
	First, Last int // ranks
	Set         int
}

// rowsOf joins consecutive ranks of a Set until the rows are few enough; a Set has at least one,
// and its rows are adjacent.
func rowsOf(run *ledger.Run) []row {
	width := (len(run.Ranks) + maxRows - 1) / maxRows
	var all []row
	for set := range run.Sets {
		open := false
		for rank := range run.Ranks {
			if run.Ranks[rank].Set != set {
				open = false
				continue
			}
			if n := len(all); open && rank-all[n-1].First < width {
				all[n-1].Last = rank
				continue
			}
			all = append(all, row{rank, rank, set})
			open = true
		}
	}
	return all
}

// name names the row's rank with its host and Set, or its ranks.
func (r row) name(run *ledger.Run) string {
	set := run.Sets[r.Set].Name
	if r.First == r.Last {
		return fmt.Sprintf("%s in Set %s", run.At(r.First), set)
	}
	return fmt.Sprintf("r%d to r%d in Set %s (mean)", r.First, r.Last, set)
}

// relative returns the mean work of the row's ranks over the mean of all, and whether the column
// has any work.
func (r row) relative(c *column) (float64, bool) {
	if c.Step.WorkSum == 0 {
		return 0, false
	}
	var sum time.Duration
	for rank := r.First; rank <= r.Last && rank < len(c.Step.Work); rank++ {
		sum += c.Step.Work[rank]
	}
	mean := sum.Seconds() / float64(r.Last-r.First+1)
	return mean * float64(len(c.Step.Work)) / c.Step.WorkSum.Seconds(), true
}
