package main

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/migbsp/migbsp/internal/svg"
)

// chart is bars of parts of a whole, in groups, with a mark over each group for what
// is possible.
type chart struct {
	title  string
	series []string
	groups []group
}

// group is what stands together: its bars in the order of the series.
type group struct {
	name     string
	bars     []float64
	possible float64
}

const (
	chartHeight = 260
	chartLeft   = 56
	chartTop    = 54
	chartBar    = 14
	chartGap    = 18
)

// chartStyle has the colours of the series: the last one, ours, stands out. They differ
// in brightness too.
const chartStyle = `text{font:11px sans-serif;fill:#222}.title{font-size:14px}.grid{stroke:#ddd}.zero{stroke:#888}` +
	`.possible{stroke:#222;stroke-width:2}.series0{fill:#c3c8d0}.series1{fill:#6b7c93}.series2{fill:#33415c}.ours{fill:#d55e00}`

// class is that of a series' colour.
func (c *chart) class(series int) string {
	if series == len(c.series)-1 {
		return "ours"
	}
	return fmt.Sprint("series", series)
}

// axis fits all values, and lines is the distance of lines across it.
func (c *chart) axis() (y svg.Axis, lines float64) {
	y = svg.Axis{From: chartTop + chartHeight, To: chartTop}
	for _, g := range c.groups {
		y.High = max(y.High, g.possible)
		for _, x := range g.bars {
			if !math.IsNaN(x) {
				y.Low = min(y.Low, x)
			}
		}
	}
	lines = 0.1
	if y.High-y.Low > 0.7 {
		lines = 0.2
	}
	y.Low, y.High = math.Floor(y.Low/lines)*lines, math.Ceil(y.High/lines)*lines
	return y, lines
}

// write draws the chart into a file of scalable graphics.
func (c *chart) write(path string) error {
	wide := chartBar*float64(len(c.series)) + chartGap
	width := chartLeft + wide*float64(len(c.groups)) + chartGap
	p := svg.File(width, chartTop+chartHeight+44, chartStyle)
	c.legend(p)
	y, lines := c.axis()
	for k := math.Round(y.Low / lines); k <= math.Round(y.High/lines); k++ {
		class := "grid"
		if k == 0 {
			class = "zero"
		}
		at := y.At(k * lines)
		p.Line(class, chartLeft, at, width-chartGap, at)
		p.Text("tick", "end", chartLeft-6, at+4, fmt.Sprintf("%.0f %%", 100*k*lines))
	}
	for k := range c.groups {
		c.group(p, &c.groups[k], chartLeft+chartGap/2+float64(k)*wide, y)
	}
	return os.WriteFile(path, []byte(p.End()+"\n"), 0o666)
}

// legend names the chart, its series and the mark.
func (c *chart) legend(p *svg.Picture) {
	const each = 150
	p.Text("title", "start", chartLeft, 18, c.title)
	x := float64(chartLeft)
	for i, name := range c.series {
		p.Rect(c.class(i), x, 28, 11, 11)
		p.Text("tick", "start", x+16, 38, name)
		x += each
	}
	p.Line("possible", x, 33, x+12, 33)
	p.Text("tick", "start", x+17, 38, "at most")
}

// group draws the bars of a group, the mark over them and its name below.
func (c *chart) group(p *svg.Picture, g *group, left float64, y svg.Axis) {
	for i, value := range g.bars {
		if !math.IsNaN(value) {
			p.Rect(c.class(i), left+float64(i)*chartBar, y.At(max(value, 0)), chartBar-1, math.Abs(y.At(value)-y.At(0)))
		}
	}
	width := chartBar * float64(len(c.series))
	p.Line("possible", left-2, y.At(g.possible), left+width+1, y.At(g.possible))
	for i, line := range strings.Split(g.name, "\n") {
		p.Text("tick", "middle", left+width/2, chartTop+chartHeight+16+float64(14*i), line)
	}
}
