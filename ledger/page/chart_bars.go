package page

import (
	"fmt"
	"html/template"

	"github.com/migbsp/migbsp/internal/svg"
	"github.com/migbsp/migbsp/ledger"
)

// bars draws one bar per value between 0 and 1, one below the other, with a mark
// at what is acceptable. The values stand beside it in the table.
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
