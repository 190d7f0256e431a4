package main

import (
	"fmt"
	"os"

	"github.com/migbsp/migbsp/internal/svg"
)

const (
	plotLeft, plotTop      = 190.0, 44.0
	plotWidth, plotRow     = 620.0, 26.0
	plotStyle              = `text{font:11px sans-serif;fill:#222}.title{font-size:14px}.grid{stroke:#ddd}.zero{stroke:#888}.all{stroke:#9aa7b8;stroke-width:2}.half{fill:#6b7c93}.ours{fill:#d55e00}.middle-mark{stroke:#fff;stroke-width:2}`
	plotLeast, plotLargest = -0.6, 1.0
)

// draw writes a picture: of each strategy a line from the worst case to the best, a bar over
// the middle half of the cases, and a mark at the median.
func (s *settings) draw(path string, all []*contest) error {
	list := s.rivals()
	bottom := plotTop + plotRow*float64(len(list))
	p := svg.File(plotLeft+plotWidth+30, bottom+40, plotStyle)
	p.Text("title", "start", 16, 22, fmt.Sprintf("Part of the time saved in %d cases: worst to best, middle half, median (simulated)", len(all)))
	x := svg.Axis{From: plotLeft, To: plotLeft + plotWidth, Low: plotLeast, High: plotLargest}
	at := func(value float64) float64 { return x.At(max(plotLeast, min(plotLargest, value))) }
	for k := -6; k <= 10; k += 2 {
		class := "grid"
		if k == 0 {
			class = "zero"
		}
		p.Line(class, at(float64(k)/10), plotTop-6, at(float64(k)/10), bottom)
		p.Text("tick", "middle", at(float64(k)/10), bottom+16, fmt.Sprintf("%d %%", 10*k))
	}
	for i, r := range list {
		saved := sorted(all, r.saved)
		y := plotTop + plotRow*float64(i) + plotRow/2
		p.Text("tick", "end", plotLeft-10, y+4, r.name)
		p.Line("all", at(saved[0]), y, at(saved[len(saved)-1]), y)
		class := "half"
		if r.name == ours {
			class = "ours"
		}
		low, high := quantile(saved, 0.25), quantile(saved, 0.75)
		p.Rect(class, at(low), y-7, max(2, at(high)-at(low)), 14)
		p.Line("middle-mark", at(quantile(saved, 0.5)), y-7, at(quantile(saved, 0.5)), y+7)
	}
	p.Text("tick", "start", 16, bottom+34, fmt.Sprintf("Losses of more than %.0f %% are drawn at %.0f %%.", -100*plotLeast, 100*plotLeast))
	return os.WriteFile(path, []byte(p.End()+"\n"), 0o666)
}
