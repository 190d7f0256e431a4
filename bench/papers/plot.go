package main

import (
	"fmt"
	"html"
	"math"
	"os"
	"strings"
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

// colour is that of a series: the last one stands out. They differ in brightness too.
func (c *chart) colour(series int) string {
	if series == len(c.series)-1 {
		return "#d55e00"
	}
	return []string{"#c3c8d0", "#6b7c93", "#33415c"}[series]
}

// scale is the least and the largest value to show, and the distance of lines.
func (c *chart) scale() (least, most, line float64) {
	for _, g := range c.groups {
		most = max(most, g.possible)
		for _, x := range g.bars {
			if !math.IsNaN(x) {
				least = min(least, x)
			}
		}
	}
	line = 0.1
	if most-least > 0.7 {
		line = 0.2
	}
	return math.Floor(least/line) * line, math.Ceil(most/line) * line, line
}

// write draws the chart into a file of scalable graphics.
func (c *chart) write(path string) error {
	least, most, distance := c.scale()
	y := func(x float64) float64 { return chartTop + chartHeight*(most-x)/(most-least) }
	wide := chartBar*len(c.series) + chartGap
	width := chartLeft + wide*len(c.groups) + chartGap
	var b strings.Builder
	text := func(x, y float64, anchor, size, s string) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="%s" font-size="%s">%s</text>`+"\n", x, y, anchor, size, html.EscapeString(s))
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" fill="#222">`+"\n", width, chartTop+chartHeight+44)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#fff"/>`+"\n")
	text(chartLeft, 18, "start", "14", c.title)
	for i, name := range c.series {
		x := float64(chartLeft + i*150)
		fmt.Fprintf(&b, `<rect x="%.1f" y="28" width="11" height="11" fill="%s"/>`+"\n", x, c.colour(i))
		text(x+16, 38, "start", "11", name)
	}
	x := float64(chartLeft + len(c.series)*150)
	fmt.Fprintf(&b, `<path d="M%.1f 33h12" stroke="#222" stroke-width="2"/>`+"\n", x)
	text(x+17, 38, "start", "11", "at most")
	for k := math.Round(least / distance); k <= math.Round(most/distance); k++ {
		line := k * distance
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="%s"/>`+"\n", chartLeft, y(line), width-chartGap, map[bool]string{true: "#888", false: "#ddd"}[line == 0])
		text(chartLeft-6, y(line)+4, "end", "11", fmt.Sprintf("%.0f %%", 100*line))
	}
	for k, g := range c.groups {
		left := float64(chartLeft + chartGap/2 + k*wide)
		for i, value := range g.bars {
			if math.IsNaN(value) {
				continue
			}
			fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%d" height="%.1f" fill="%s"/>`+"\n",
				left+float64(i*chartBar), y(max(value, 0)), chartBar-1, math.Abs(y(value)-y(0)), c.colour(i))
		}
		fmt.Fprintf(&b, `<path d="M%.1f %.1fh%d" stroke="#222" stroke-width="2"/>`+"\n", left-2, y(g.possible), chartBar*len(c.series)+3)
		for i, line := range strings.Split(g.name, "\n") {
			text(left+float64(chartBar*len(c.series))/2, chartTop+chartHeight+16+float64(14*i), "middle", "11", line)
		}
	}
	b.WriteString("</svg>\n")
	return os.WriteFile(path, []byte(b.String()), 0o666)
}
