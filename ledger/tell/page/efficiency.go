package page

import (
	"fmt"
	"html/template"
	"slices"

	"github.com/migbsp/migbsp/internal/svg"
	"github.com/migbsp/migbsp/ledger"
)

// factorRow is a factor of the efficiency, of one or two parts of a run or of
// two runs.
type factorRow struct {
	Name    string
	Depth   int
	Values  []float64
	Bars    template.HTML
	Meaning string
}

// meanings explain the factors, in their order.
var meanings = [...]string{
	"time in which ranks ran their work over ranks × elapsed time; load balance × serialisation × capacity × transfer",
	"mean over largest work of a rank in the whole time; in Sets × between Sets",
	"mean of the Set that works most over the largest",
	"mean of all over the mean of the Set that works most",
	"low if ranks take turns in being the slowest",
	"low if ranks had work and were not granted a processor: quota, steal, other programs",
	"low if communication, barriers and rescheduling take time",
}

// factorTree lays out the factors of efficiencies side by side.
func factorTree(parts ...ledger.Efficiency) []factorRow {
	tree := make([]factorRow, len(meanings))
	for p := range parts {
		for i, f := range parts[p].Factors() {
			tree[i].Name, tree[i].Depth, tree[i].Meaning = f.Name, f.Depth, meanings[i]
			tree[i].Values = append(tree[i].Values, f.Value)
		}
	}
	for i := range tree {
		tree[i].Bars = bars(tree[i].Values...)
	}
	tree[0].Name += " efficiency"
	return tree
}

// unequal reports whether ranks were declared to have different speeds.
func unequal(run *ledger.Run) bool {
	return slices.ContainsFunc(run.Ranks, func(r ledger.Rank) bool { return r.Speed != run.Ranks[0].Speed })
}

// bars draws one bar per value between 0 and 1, one below the other, with a mark at the
// acceptable value. The table beside it has the values.
func bars(values ...float64) template.HTML {
	const width, each = 240.0, 9.0
	height := each*float64(len(values)) + 6
	s := picture{svg.New(width, height, "class", "bars", "width", fmt.Sprint(width), "height", fmt.Sprint(height), "preserveAspectRatio", "none", "aria-hidden", "true")}
	s.Rect("rail", 0, 2, width, height-4)
	for i, x := range values {
		class := fmt.Sprintf("bar%d", i+2-len(values))
		s.Rect(class, 0, 3+each*float64(i), width*max(0, min(1, x)), each-1)
	}
	s.Line("limit", width*ledger.Acceptable, 0, width*ledger.Acceptable, height)
	return s.end()
}
