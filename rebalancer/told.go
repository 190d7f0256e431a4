package rebalancer

import (
	"fmt"

	"github.com/migbsp/migbsp/rebalancer/internal/forecast"
)

// Foretelling compares what a program has told with what the past says, on this run.
type Foretelling struct {
	Told, Past float64 // errors, as parts of the work
	Used       bool    // what was told is used
}

// String says which is used, and why.
func (t *Foretelling) String() string {
	which := "the past"
	if t.Used {
		which = "the loads that the program tells"
	}
	return fmt.Sprintf("predicted by %s: loads were %.3g%% off the work so far, the past %.3g%%", which, 100*t.Told, 100*t.Past)
}

// foretell finds out what a program has told, and whether that is better than the past; nil
// if it has told nothing, or nothing can be said yet.
func foretell(v View) *forecast.Foretold {
	if !tells(v) {
		return nil
	}
	m := newCostModel(v)
	told := make([]forecast.Told, len(m.index))
	for pid := range told {
		if p := m.process(pid); p != nil && p.Told != nil && len(p.RecentWork) >= m.Columns {
			told[pid] = forecast.Told{Coming: p.Told.Coming, Recent: p.Told.Recent}
		}
	}
	return forecast.Foretell(m.Series, told)
}

// tells reports whether some process has said something.
func tells(v View) bool {
	for i := range v.Processes {
		if v.Processes[i].Told != nil {
			return true
		}
	}
	return false
}
