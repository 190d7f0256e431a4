package rebalancer

import (
	"github.com/migbsp/migbsp/rebalancer/internal/forecast"
)

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
