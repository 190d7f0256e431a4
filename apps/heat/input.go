package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/apps/heat/stencil"
	"github.com/migbsp/migbsp/apps/internal/flags"
	"github.com/migbsp/migbsp/apps/internal/lines"
)

const about = `
Heat computes how heat spreads in a square or, with -dim 3, in a cube, by explicit steps:
the temperature of a cell becomes a weighted sum of itself and of its 4 or 6 neighbours
(Jacobi's iteration). Edges and diffusivity are 1; walls keep their temperatures, and a
source may heat some of the cells.

The body is cut into a grid of blocks, one for each process, with as few cells at their
faces as possible. A step is a stage: processes compute their cells and give the outermost
ones to their neighbours. Steps end after -steps or, with -tol, when no cell changes by as
much as that; that is looked at in every tenth step.

The temperatures are the same to the last bit for any number of processes. They are
checked: how much there is of the slowest wave is known exactly for any walls, source and
beginning, and so is each cell where walls are cold and there is no source.`

var (
	size      = flags.Int("n", "`cells` along each edge (default 1024, in three dimensions 128)")
	dimension = flag.Int("dim", 2, "`dimensions`: 2 or 3")
	steps     = flags.Int("steps", "`number` of steps, with -tol at most (default 1000; with -tol as many as any wave needs to vanish)")
	tolerance = flag.Float64("tol", 0, "end when no cell changes by this `much` in a step")
	shape     = flag.String("grid", "", "`PxQ[xR]` processes along the axes (default: as few cells at the faces of blocks as possible)")
	fourier   = flag.Float64("fourier", 0, "mesh Fourier `number`: the step in time over the square of the distance of cells; up to 1/4, in three dimensions 1/6 (default 1/5, 1/7)")
	mode      = flag.String("mode", "", "`KxL[xM]` half waves along the axes at the beginning, none for 0 everywhere (default 1x1, 1x1x1)")
	walls     = flag.String("walls", "0", "`temperature` of all walls, or of some as in left=1,top=0.5: left, right, bottom, top, front, back")
	heating   = flag.String("source", "", "`X,Y[,Z]:R=W`: cells up to R from this place get warmer by W per unit of time, as in 0.3,0.5:0.1=20")
	picture   = flag.String("png", "", "write a picture of the temperatures at the end, in the middle between front and back, to this `file`")
)

// parameters is the values of the command line.
type parameters struct {
	n, dim, steps int
	tolerance     float64
	grid          axes
	weights       stencil.Weights
	waves         axes // half waves along the axes at the beginning; 0 along x for none
	walls         [6]float64
	source        source
}

// distance is that between cells. The walls are at 0 and 1, and the cells between them.
func (p *parameters) distance() float64 { return 1 / float64(p.n+1) }

// read returns the parameters of the command line, for a number of processes.
func read(procs int) (*parameters, error) {
	p := &parameters{n: size.Or(1024), dim: *dimension, tolerance: *tolerance}
	if p.dim == 3 {
		p.n = size.Or(128)
	}
	switch {
	case p.dim != 2 && p.dim != 3:
		return nil, fmt.Errorf("-dim %d: expected 2 or 3", p.dim)
	case p.n < 1 || p.cells() > mostCells:
		return nil, fmt.Errorf("-n %d: expected a number from 1 to %.0f", p.n, math.Round(math.Pow(mostCells, 1/float64(p.dim))))
	case !(p.tolerance >= 0) || math.IsInf(p.tolerance, 0):
		return nil, fmt.Errorf("-tol %g: expected a number above 0", p.tolerance)
	}
	err := cmp.Or(p.readFourier(), p.readMode(*mode), p.readWalls(*walls), p.readSource(*heating),
		lines.Writable("-png", *picture))
	if err != nil {
		return nil, err
	}
	p.steps = steps.Or(p.usualSteps())
	if p.steps < 1 {
		return nil, fmt.Errorf("-steps %d: at least one is needed", p.steps)
	}
	return p, p.readGrid(*shape, procs)
}

const mostCells = 0x1p36

// cells returns the number of cells.
func (p *parameters) cells() float64 { return math.Pow(float64(p.n), float64(p.dim)) }

// readFourier finds the weights: a cell's own must not be below 0, because temperatures
// could then exceed the initial ones, the walls' and the source's.
func (p *parameters) readFourier() error {
	r, most := *fourier, 1/float64(2*p.dim)
	if r == 0 {
		r = 1 / float64(2*p.dim+1)
	}
	if !(r > 0 && r <= most) {
		return fmt.Errorf("-fourier %g: expected a number above 0 and up to 1/%d, beyond which steps are not stable", r, 2*p.dim)
	}
	p.weights = stencil.Weights{Own: 1 - float64(float64(2*p.dim)*r), Beside: r}
	return nil
}

// usualSteps returns the default number of steps: with a tolerance, enough for the slowest
// wave to become so small that no cell changes any more.
func (p *parameters) usualSteps() int {
	if p.tolerance == 0 {
		return 1000
	}
	return int(min(max(1, math.Ceil(math.Log(1e-17)/math.Log(p.factor(axes{1, 1, 1})))), math.MaxInt32))
}

// whole reads a whole number.
func whole(text string) (int, error) { return strconv.Atoi(text) }

// readMode reads half waves along all axes, or none.
func (p *parameters) readMode(text string) error {
	switch text {
	case "none":
		return nil
	case "":
		p.waves = axes{1, 1, 1}
		return nil
	}
	words := strings.Split(text, "x")
	for axis, word := range words {
		k, err := whole(word)
		if len(words) != p.dim || err != nil || k < 1 || k > p.n {
			return fmt.Errorf("-mode %s: expected none, or half waves along %d axes, each from 1 to %d, as in %s", text, p.dim, p.n, "1x2x1"[:2*p.dim-1])
		}
		p.waves[axis] = k
	}
	return nil
}

// sides are the names of the walls, in the order of faces.
var sides = []string{"left", "right", "bottom", "top", "front", "back"}

// readWalls reads the temperature of all walls, or of some.
func (p *parameters) readWalls(text string) error {
	names := sides[:2*p.dim]
	if t, err := temperature(text); err == nil {
		for side := range names {
			p.walls[side] = t
		}
		return nil
	}
next:
	for word := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(word, "=")
		t, err := temperature(value)
		for side, known := range names {
			if err == nil && name == known {
				p.walls[side] = t
				continue next
			}
		}
		return fmt.Errorf("-walls %s: read %q; expected a temperature, or walls with theirs as in left=1,top=0.5, of %s", text, word, strings.Join(names, ", "))
	}
	return nil
}

// temperature reads one: a number whose size leaves room for sums.
func temperature(text string) (float64, error) {
	t, err := strconv.ParseFloat(text, 64)
	if err == nil && !(math.Abs(t) <= 1e100) {
		err = strconv.ErrRange
	}
	return t, err
}

// readSource reads X,Y[,Z]:R=W.
func (p *parameters) readSource(text string) error {
	if text == "" {
		return nil
	}
	like := "0.3,0.5:0.1=20"
	if p.dim == 3 {
		like = "0.3,0.5,0.5:0.1=20"
	}
	where, power, _ := strings.Cut(text, "=")
	place, radius, _ := strings.Cut(where, ":")
	coordinates := strings.Split(place, ",")
	if len(coordinates) != p.dim {
		return fmt.Errorf("-source %s: expected place, radius and heat as in %s", text, like)
	}
	numbers := make([]float64, 0, 5)
	for _, word := range append(coordinates, radius, power) {
		x, err := temperature(word)
		if err != nil {
			return fmt.Errorf("-source %s: read %q; expected numbers as in %s", text, word, like)
		}
		numbers = append(numbers, x)
	}
	copy(p.source.centre[:], numbers[:p.dim])
	p.source.radius = numbers[p.dim]
	if p.source.radius < 0 {
		return fmt.Errorf("-source %s: expected a radius that is not below 0", text)
	}
	if !p.source.reaches(p, p.source.nearest(p)) {
		return fmt.Errorf("-source %s: no cell is as near as that to this place; cells are between 0 and 1, %.3g apart", text, p.distance())
	}
	h := p.distance()
	p.source.rise = numbers[p.dim+1] * p.weights.Beside * h * h
	return nil
}

// readGrid finds the grid of processes.
func (p *parameters) readGrid(text string, procs int) error {
	if text == "" {
		grid, ok := leastSurface(procs, p.dim, p.n)
		if !ok {
			return fmt.Errorf("%d processes are too many, or no product of %d numbers up to the %d cells of an edge", procs, p.dim, p.n)
		}
		p.grid = grid
		return nil
	}
	grid, err := readGrid(text, p.dim)
	switch {
	case err != nil:
		return err
	case max(grid[0], grid[1], grid[2]) > p.n:
		return fmt.Errorf("-grid %s: expected at most %d processes along an axis, as many as cells", text, p.n)
	case grid[0]*grid[1]*grid[2] != procs:
		return fmt.Errorf("-grid %s has %d processes, but %d run; use -procs %[2]d", text, grid[0]*grid[1]*grid[2], procs)
	}
	p.grid = grid
	return nil
}

func check(procs int) error {
	p, err := read(procs)
	if err == nil && p.waves[0] == 0 && p.walls == [6]float64{} && p.source.rise == 0 {
		err = errors.New("-mode none: without -walls or -source nothing will ever be warm")
	}
	return err
}

// memory returns the bytes of all processes: two copies of the temperatures with their
// rims, the cells from neighbours, and the picture.
func memory(procs int) int64 {
	p, _ := read(procs) // which check has found right
	cells, inner := 1., 1.
	for axis := range p.dim {
		cells *= float64(p.n + 2*p.grid[axis])
		inner *= float64(p.n)
	}
	bytes := 8 * (2*cells + 2*(cells-inner))
	if *picture != "" {
		bytes += 2 * float64(p.n) * float64(p.n)
	}
	return int64(min(bytes, math.MaxInt64/2))
}
