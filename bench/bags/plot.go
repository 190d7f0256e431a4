package main

import (
	"fmt"
	"os"

	"github.com/migbsp/migbsp/internal/svg"
)

// lines are the policies of the picture, in the order in which they are drawn.
var lines = []struct{ spec, class string }{
	{wq, "queue"}, {"gss", "gss"}, {"factoring", "factoring"}, {lds5, "five"}, {lds2, "twenty"}, {"auto", "ours"},
}

const (
	panelWidth, panelHeight = 330.0, 210.0
	panelLeft, panelTop     = 48.0, 84.0
	panelGap                = 66.0
)

const plotStyle = `text{font:11px sans-serif;fill:#222}.title{font-size:14px}.grid{stroke:#ddd}path{fill:none;stroke-width:2}` +
	`.queue{stroke:#8a8f98;stroke-dasharray:2 3}.gss{stroke:#2f9e6e}.factoring{stroke:#6b7c93}.five{stroke:#33415c}.twenty{stroke:#33415c;stroke-dasharray:6 3}.ours{stroke:#d55e00}`

// plotCurves draws the paper's figures 1 to 3: a row for each number of tasks, a column for
// each grid.
func plotCurves(path string, cells []*cell) error {
	right := panelLeft + 2*(panelWidth+panelLeft)
	p := svg.File(right, panelTop+3*(panelHeight+panelGap), plotStyle)
	p.Text("title", "start", panelLeft, 18, "Time over the bound, by what a task takes (simulated)")
	for i, l := range lines {
		x := panelLeft + float64(i)*118
		line(p, l.class, [][2]float64{{x, 38}, {x + 22, 38}})
		p.Text("key", "start", x+28, 42, title(l.spec))
	}
	for row, tasks := range claimTasks {
		for column, workers := range claimWorkers {
			var some []*cell
			for _, c := range cells {
				if c.load.Tasks == tasks && c.load.Workers == workers {
					some = append(some, c)
				}
			}
			panel(p, some, fmt.Sprintf("%d tasks, %d workers", tasks, workers),
				panelLeft+float64(column)*(panelWidth+panelLeft), panelTop+float64(row)*(panelHeight+panelGap))
		}
	}
	return os.WriteFile(path, []byte(p.End()+"\n"), 0o666)
}

// panel draws the curves of some cells, which differ in what a task takes.
func panel(p *svg.Picture, cells []*cell, name string, left, top float64) {
	right, bottom := left+panelWidth-16, top+panelHeight
	x := svg.Linear(0, float64(claimMflop[len(claimMflop)-1]), left, right)
	y := svg.Linear(1, 8, bottom, top)
	p.Bottom(x, func(v float64) string { return fmt.Sprintf("%g", v) }, top, bottom)
	p.Left(y, func(v float64) string { return fmt.Sprintf("%g", v) }, left, right)
	p.Text("name", "middle", (left+right)/2, top-6, name)
	p.Text("name", "middle", (left+right)/2, bottom+30, "Mflop of a task")
	for _, l := range lines {
		var points [][2]float64
		for _, c := range cells {
			points = append(points, [2]float64{x.At(float64(c.mflop())), y.At(c.over(l.spec))})
		}
		line(p, l.class, points)
	}
}

func line(p *svg.Picture, class string, points [][2]float64) {
	var pen svg.Pen
	for i, at := range points {
		if i == 0 {
			pen.Move(at[0], at[1])
		} else {
			pen.To(at[0], at[1])
		}
	}
	p.Path(class, pen.String())
}
