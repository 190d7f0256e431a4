package rebalancer

import (
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/forecast"
)

// foretell finds out what a program has told, and whether that is better than the past; nil
// if it has told nothing, or nothing can be said yet.
func foretell(v View) *forecast.Foretold {
	if !slices.ContainsFunc(v.Snapshot.Processes, func(p Process) bool { return p.Told != nil }) {
		return nil
	}
	m := newCostModel(v)
	told := make([]forecast.Told, len(v.Where))
	for pid := range told {
		if p := m.process(pid); p.Told != nil && len(p.RecentWork) >= m.Columns {
			told[pid] = forecast.Told{Coming: p.Told.Coming, Recent: p.Told.Recent}
		}
	}
	return forecast.Foretell(m.Series, told)
}
