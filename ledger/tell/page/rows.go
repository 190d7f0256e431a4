package page

import (
	"fmt"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// maxRows bounds the rows of a picture: beyond it ranks share rows.
const maxRows = 256

// row is consecutive ranks of a Set.
type row struct {
	First, Last int // ranks
	Set         int
}

// rowsOf joins consecutive ranks of a Set until there are few enough rows; a Set has at
// least one, and its rows stand together.
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

// relative returns the mean work of the row's ranks over the mean of all, and whether
// there was any work.
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
