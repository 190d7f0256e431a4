package main

// geometry is the fluid cells of a process. It follows from the parameters, so that it need not move
// with the process.
type geometry struct {
	shape   shape
	first   int      // layer
	offsets []int    // by velocity: how far it goes in memory
	runs    [][]run  // by layer
	links   [][]link // by velocity
}

// run is a stretch of fluid in a line.
type run struct{ at, length int }

// link joins a cell of fluid and a cell in a wall or an obstacle, for one velocity:
// populations that the fluid has sent there come back.
type link struct{ wall, cell int }

// layersOf returns the range of layers of a process.
func (p *parameters) layersOf(pid, procs int) (from, to int) {
	return pid * p.height / procs, (pid + 1) * p.height / procs
}

func (p *parameters) shapeOf(pid, procs int) shape {
	from, to := p.layersOf(pid, procs)
	return shape{length: p.length, breadth: p.breadth, layers: to - from}
}

// geometryOf finds the fluid of a process.
func (p *parameters) geometryOf(pid, procs int) *geometry {
	from, to := p.layersOf(pid, procs)
	g := &geometry{shape: p.shapeOf(pid, procs), first: from}
	g.runs, g.links = make([][]run, to-from), make([][]link, p.lattice.count())
	for q := range g.links {
		g.offsets = append(g.offsets, g.shape.offset(p.lattice, q))
	}
	solid := g.mask(p)
	for layer := range to - from {
		for y := range g.shape.lines() {
			g.addLine(p, solid, layer, y)
		}
	}
	return g
}

// fluid counts the cells of fluid, which take the time of a step.
func (g *geometry) fluid() float64 {
	cells := 0
	for _, runs := range g.runs {
		for _, r := range runs {
			cells += r.length
		}
	}
	return float64(cells)
}

// mask reports, for each cell including the rim, whether it is solid.
func (g *geometry) mask(p *parameters) []bool {
	solid := make([]bool, (g.shape.layers+2)*g.shape.layer())
	rim := min(1, g.shape.breadth)
	for layer := -1; layer <= g.shape.layers; layer++ {
		for y := -rim; y < g.shape.lines()+rim; y++ {
			for x := -1; x <= g.shape.length; x++ {
				solid[g.shape.at(x, layer, y)] = p.solid(x, g.first+layer, y)
			}
		}
	}
	return solid
}

// addLine finds the fluid of a line, and its links.
func (g *geometry) addLine(p *parameters, solid []bool, layer, y int) {
	last := -2
	for x := range g.shape.length {
		cell := g.shape.at(x, layer, y)
		if solid[cell] {
			continue
		}
		runs := &g.runs[layer]
		if last != x-1 {
			*runs = append(*runs, run{at: cell})
		}
		(*runs)[len(*runs)-1].length++
		last = x
		for q := 1; q < p.lattice.count(); q++ {
			if from := cell - g.offsets[q]; solid[from] {
				g.links[q] = append(g.links[q], link{from, cell})
			}
		}
	}
}

// solid reports whether a cell has no fluid. The channel's ends are joined, and so are its
// front and back; below and above it are walls.
func (p *parameters) solid(x, h, y int) bool {
	if h < 0 || h >= p.height {
		return true
	}
	if p.obstacle == nil {
		return false
	}
	return p.obstacle.solid((x+p.length)%p.length, h, (y+max(1, p.breadth))%max(1, p.breadth))
}
