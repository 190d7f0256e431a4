package page

import (
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

// courseOf adds up neighbours until there are at most most columns. One account of the
// record is not divided, and accounts that overlap, because their supersteps ended at
// different places, are added up.
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

// at returns the column with a superstep, the last if it is later than all, -1 if
// there is none at all.
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
