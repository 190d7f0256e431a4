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
	return forecast.Foretell(m.Series, func(pid int) (coming float64, recent []float32) {
		if p := m.process(pid); p.Told != nil && len(p.RecentWork) >= m.Columns {
			return p.Told.Coming, p.Told.Recent
		}
		return 0, nil
	})
}
