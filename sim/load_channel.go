package sim

import (
	"fmt"
	"math"
)

// Channel is the flow of a fluid through a channel, as
// [github.com/migbsp/migbsp/apps/lbm] computes it: each process has layers of cells from
// wall to wall. In each superstep it computes all cells that are not solid, and gives its
// outermost layers to the processes below and above it.
type Channel struct {
	Length, Height, Breadth int     // cells; a breadth of 0 is a channel in two dimensions
	Procs, Count            int     // processes and supersteps
	Flops                   float64 // operations for each cell
	Fluid                   []int   // cells of each layer that are not solid; nil: all
}

// velocities returns the number of populations of a cell, and the number of them that go
// up.
func (c *Channel) velocities() (all, rising int) {
	if c.Breadth == 0 {
		return 9, 3
	}
	return 19, 5
}

// places returns the number of cells of a layer with its rim.
func (c *Channel) places() int {
	if c.Breadth == 0 {
		return c.Length + 2
	}
	return (c.Length + 2) * (c.Breadth + 2)
}

// Processes implements Workload, as do the other exported methods.
func (c *Channel) Processes() int { return c.Procs }
func (c *Channel) Steps() int     { return c.Count }

// State returns the bytes of the populations of the process's layers, of its neighbours'
// and of two more.
func (c *Channel) State(pid int) float64 {
	all, _ := c.velocities()
	return float64(8 * all * c.places() * (share(c.Height, c.Procs, pid) + 4))
}

func (c *Channel) Fill(_ int, s *Step) error {
	_, rising := c.velocities()
	bytes := float64(8 * rising * c.places())
	for pid := range c.Procs {
		for layer := shares(c.Height, c.Procs, pid); layer < shares(c.Height, c.Procs, pid+1); layer++ {
			cells := c.Length * max(1, c.Breadth)
			if c.Fluid != nil {
				cells = c.Fluid[layer]
			}
			s.Work[pid] += c.Flops * float64(cells)
		}
		if pid > 0 {
			s.Messages = append(s.Messages, Message{From: int32(pid), To: int32(pid - 1), Bytes: bytes})
		}
		if pid+1 < c.Procs {
			s.Messages = append(s.Messages, Message{From: int32(pid), To: int32(pid + 1), Bytes: bytes})
		}
	}
	return nil
}

// hills returns, for each layer, the cells above the obstacle of that name: three hills
// from one end to the other, as high as half of the channel.
func (c *Channel) hills() []int {
	fluid := make([]int, c.Height)
	for x := range c.Length {
		top := float64(c.Height) * (0.3 - 0.2*math.Cos(6*math.Pi*(float64(x)+0.5)/float64(c.Length)))
		for h := range fluid {
			if float64(h)+0.5 >= top {
				fluid[h] += max(1, c.Breadth)
			}
		}
	}
	return fluid
}

// mostCells is the largest number of cells that the program accepts.
const mostCells = 1 << 34

var channelKind = kind{
	name: "channel", about: "lattice-Boltzmann flow through a channel, as apps/lbm",
	parameters: []parameter{
		{name: "p", value: 16, least: 1, whole: true, about: "processes, one above the other"},
		{name: "length", value: 400, least: 1, whole: true, about: "of the channel, in cells"},
		{name: "height", value: 100, least: 1, whole: true, about: "in cells"},
		{name: "breadth", least: 0, whole: true, about: "in cells (default: two dimensions)"},
		{name: "steps", value: 1000, least: 1, whole: true, about: "supersteps"},
		{name: "flops", least: 0, about: "operations for each cell (default: 92, or 197)"},
		{name: "hills", among: noOrYes, about: "1: hills below, whose cells cost nothing (default: none)"},
	},
	make: func(v map[string]float64) (Workload, error) {
		c := &Channel{
			Length: int(v["length"]), Height: int(v["height"]), Breadth: int(v["breadth"]),
			Procs: int(v["p"]), Count: int(v["steps"]), Flops: v["flops"],
		}
		switch {
		case c.Procs > c.Height:
			return nil, fmt.Errorf("%d layers are too few for %d processes", c.Height, c.Procs)
		case v["length"]*v["height"]*max(1, v["breadth"]) > mostCells:
			return nil, fmt.Errorf("the channel has more than %d cells", mostCells)
		case c.Flops == 0 && c.Breadth == 0:
			c.Flops = 92
		case c.Flops == 0:
			c.Flops = 197
		}
		if v["hills"] > 0 {
			c.Fluid = c.hills()
		}
		return c, nil
	},
}
