package main

import (
	"fmt"
	"os"

	"github.com/migbsp/migbsp/bench/exchange/traffic"
	"github.com/migbsp/migbsp/internal/svg"
)

// curve is a line of the picture.
type curve struct {
	column
	class, label string
}

var curves = []curve{
	{column{traffic.Empty, inRounds}, "ours", "empty superstep"},
	{column{traffic.Empty, dissem}, "ours thin", "barrier"},
	{column{traffic.Empty, direct}, "ours dots", "empty, a message to each node"},
	{column{traffic.Halo, inRounds}, "halo", "halo"},
	{column{traffic.Halo, dissem}, "halo thin", "halo by hand and barrier"},
	{column{traffic.Halo, remembered}, "halo dots", "halo, partners remembered"},
	{column{traffic.AllToAll, inRounds}, "all", "all to all"},
	{column{traffic.AllToAll, manual}, "all thin", "all to all by hand"},
}

const (
	panelWidth, panelHeight = 400.0, 330.0
	panelLeft, panelTop     = 52.0, 84.0
	legendRow               = 16.0
)

const pictureStyle = `text{font:11px sans-serif;fill:#222}.title{font-size:14px}.grid{stroke:#ddd}` +
	`path{fill:none;stroke-width:2}.ours{stroke:#d55e00}.halo{stroke:#33415c}.all{stroke:#2f9e6e}.thin{stroke-width:1}.dots{stroke-dasharray:3 3}`

// draw writes a picture with a panel for each network.
func (s *settings) draw(all []*series) error {
	ranks := s.ranks[max(0, len(s.ranks)-2)]
	p := svg.File(panelLeft+float64(len(s.networks))*(panelWidth+panelLeft), panelTop+panelHeight+34, pictureStyle)
	p.Text("title", "start", panelLeft, 18, fmt.Sprintf("What the end of a superstep takes, by nodes of %d ranks (simulated)", ranks))
	for i, c := range curves {
		x, y := panelLeft+float64(i%4)*215, 30+legendRow*float64(i/4)
		line(p, c.class, [][2]float64{{x, y + 4}, {x + 22, y + 4}})
		p.Text("key", "start", x+28, y+8, c.label)
	}
	low, high := 1e9, 0.0
	for _, one := range all {
		for _, t := range one.times {
			for _, c := range curves {
				if x, ok := t.us[c.column]; ok && one.ranks == ranks {
					low, high = min(low, x), max(high, x)
				}
			}
		}
	}
	for i, n := range s.networks {
		left := panelLeft + float64(i)*(panelWidth+panelLeft)
		for _, one := range of(all, n.Name) {
			if one.ranks == ranks {
				panel(p, one, left, low, high)
			}
		}
	}
	return os.WriteFile(s.svg, []byte(p.End()+"\n"), 0o666)
}

// panel draws the curves of a network.
func panel(p *svg.Picture, one *series, left, low, high float64) {
	right, bottom := left+panelWidth-16, panelTop+panelHeight
	first, last := one.times[0].Nodes, one.times[len(one.times)-1].Nodes
	x := svg.Logarithmic(float64(first), float64(max(last, first+1)), left, right)
	y := svg.Logarithmic(low, high, bottom, panelTop)
	p.Bottom(x, func(v float64) string { return fmt.Sprintf("%g", v) }, panelTop, bottom)
	p.Left(y, func(v float64) string {
		switch {
		case v < 1000:
			return fmt.Sprintf("%g us", v)
		case v < 1e6:
			return fmt.Sprintf("%g ms", v/1e3)
		}
		return fmt.Sprintf("%g s", v/1e6)
	}, left, right)
	p.Text("name", "middle", (left+right)/2, panelTop-6, one.network.Name)
	p.Text("name", "middle", (left+right)/2, bottom+30, "nodes")
	for _, c := range curves {
		var points [][2]float64
		for _, t := range one.times {
			if us, ok := t.us[c.column]; ok {
				points = append(points, [2]float64{x.At(float64(t.Nodes)), y.At(us)})
			}
		}
		line(p, c.class, points)
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
