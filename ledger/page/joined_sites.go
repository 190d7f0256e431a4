package page

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/migbsp/migbsp/ledger"
)

// joinedSites puts the call sites of two runs side by side, by their place.
func joinedSites(a, b *ledger.History) table {
	t := table{ID: "sites", Caption: "Call sites of both runs", Columns: []heading{
		{"where", false}, {"steps A", true}, {"steps B", true}, {"w max A", true}, {"w max B", true},
		{"max/avg A", true}, {"max/avg B", true}, {"total A", true}, {"total B", true}, {"B/A", true},
	}}
	x, y := sitesByName(a), sitesByName(b)
	var names []string
	for _, s := range append(a.Sites(), b.Sites()...) {
		if !slices.Contains(names, s.Site) {
			names = append(names, s.Site)
		}
	}
	if len(names) > maxTableRows {
		t.Note = fmt.Sprintf("The first %d of %d.", maxTableRows, len(names))
		names = names[:maxTableRows]
	}
	for _, name := range names {
		t.Rows = append(t.Rows, joinedRow(name, x[name], y[name]))
	}
	return t
}

func sitesByName(h *ledger.History) map[string]*ledger.Step {
	all := make(map[string]*ledger.Step)
	for _, s := range h.Sites() {
		all[s.Site] = &s
	}
	return all
}

// joinedRow has dashes where a run has never been at the place.
func joinedRow(name string, a, b *ledger.Step) []cell {
	row := []cell{{Text: name}}
	add := func(of func(*ledger.Step) float64, show func(float64) string) {
		for _, s := range []*ledger.Step{a, b} {
			if s == nil {
				row = append(row, cell{Text: "-"})
				continue
			}
			row = append(row, cell{show(of(s)), strconv.FormatFloat(of(s), 'g', -1, 64)})
		}
	}
	add(func(s *ledger.Step) float64 { return float64(s.Count) }, func(x float64) string { return strconv.Itoa(int(x)) })
	add(func(s *ledger.Step) float64 { return s.WorkMax.Seconds() }, seconds)
	add((*ledger.Step).Imbalance, factor)
	add(func(s *ledger.Step) float64 { return s.Total.Seconds() }, seconds)
	if a == nil || b == nil || a.Total == 0 {
		return append(row, cell{Text: "-"})
	}
	ratio := b.Total.Seconds() / a.Total.Seconds()
	return append(row, cell{factor(ratio), strconv.FormatFloat(ratio, 'g', 6, 64)})
}
