package main

import (
	"flag"
	"fmt"
	"math"

	"github.com/migbsp/migbsp/apps/lu/dense"
	"github.com/migbsp/migbsp/bsplib"
)

// parameters is the values of the command line.
type parameters struct {
	n, block int
	pivot    bool
	panels   string
	seed     uint64
}

// The methods to factor block columns: see gathered.go.
const (
	panelsAuto     = "auto"
	panelsSpread   = "spread"
	panelsGathered = "gathered"
)

// mayGather reports whether one of rows processes of a grid column may factor block
// columns. A single process has no agreement to save.
func (p parameters) mayGather(rows int) bool {
	return p.pivot && rows > 1 && p.block > 1 && p.panels != panelsSpread
}

// element is the matrix: random in [-0.5, 0.5), the same for every
// distribution; without pivoting the diagonal is larger than the rest of its
// row.
func (p parameters) element(i, j int) float64 {
	x := uniform(p.seed, i, j)
	if i == j && !p.pivot {
		x += float64(p.n)
	}
	return x
}

// grid is the shape of the process grid.
type grid struct{ rows, cols int }

var (
	size   = flag.Int("n", 1000, "order of the matrix")
	block  = flag.Int("block", 0, fmt.Sprintf("`width` of the blocks; 1 deals out single rows and columns (default: %d, less if the matrix is small)", defaultBlock))
	shape  = flag.String("grid", "", "`MxN` processes (default: as square as -procs allows, not higher than wide)")
	pivots = flag.String("pivot", "partial", "`kind` of pivoting: partial or none, for which the matrix is diagonally dominant")
	panels = flag.String("panels", panelsAuto, "`way` to factor block columns: spread over the rows of the grid, gathered in one process, or auto: whichever is faster here")
	seed   = flag.Uint64("seed", 1, "of the random matrix")
)

// defaultBlock is the block width with the shortest time for n = 1000 to 4000.
const defaultBlock = 64

// read returns the parameters of the command line, for a number of processes.
func read(procs int) (parameters, grid, error) {
	p := parameters{n: *size, block: *block, pivot: *pivots == "partial", panels: *panels, seed: *seed}
	switch {
	case p.n < 1:
		return p, grid{}, fmt.Errorf("-n %d: the matrix needs at least one row", p.n)
	case p.block < 0:
		return p, grid{}, fmt.Errorf("-block %d: blocks need at least one column", p.block)
	case p.block > p.n:
		return p, grid{}, fmt.Errorf("-block %d: the matrix has only %d columns", p.block, p.n)
	case *pivots != "partial" && *pivots != "none":
		return p, grid{}, fmt.Errorf("-pivot %s: it is partial or none", *pivots)
	case p.panels != panelsAuto && p.panels != panelsSpread && p.panels != panelsGathered:
		return p, grid{}, fmt.Errorf("-panels %s: it is auto, spread or gathered", p.panels)
	case p.panels != panelsAuto && !p.pivot:
		return p, grid{}, fmt.Errorf("-panels %s: with -pivot none there are no pivots to agree on", p.panels)
	}
	if p.panels == panelsAuto && !dense.SameBits {
		p.panels = panelsSpread // a measurement must not choose the result
	}
	g, err := gridOf(*shape, procs)
	if err != nil {
		return p, g, err
	}
	if p.block == 0 {
		p.block = max(1, min(defaultBlock, p.n/max(g.rows, g.cols)))
	}
	asked := *shape != "" || *block != 0
	if blocks := (p.n-1)/p.block + 1; asked && (g.rows > blocks || g.cols > blocks) {
		return p, g, fmt.Errorf("a grid of %d x %d processes is too large for %d x %d blocks of %d (-n %d); use fewer processes or smaller blocks",
			g.rows, g.cols, blocks, blocks, p.block, p.n)
	}
	return p, g, nil
}

// gridOf reads MxN, or finds the squarest grid of that many processes.
func gridOf(text string, procs int) (grid, error) {
	if text == "" {
		rows := 1
		for r := 1; r*r <= procs; r++ {
			if procs%r == 0 {
				rows = r
			}
		}
		return grid{rows, procs / rows}, nil
	}
	var g grid
	var rest string
	if n, _ := fmt.Sscanf(text+" ", "%dx%d%s", &g.rows, &g.cols, &rest); n != 2 || g.rows < 1 || g.cols < 1 {
		return g, fmt.Errorf("-grid %s: it is rows x columns, like 2x4", text)
	}
	if g.rows*g.cols != procs {
		return g, fmt.Errorf("-grid %s has %d processes, but %d run; use -procs %d", text, g.rows*g.cols, procs, g.rows*g.cols)
	}
	return g, nil
}

func check(procs int) error {
	_, _, err := read(procs)
	return err
}

// memory returns the bytes of all processes: the matrix, panels, gathered ones too, block
// rows and the order of rows.
func memory(procs int) int64 {
	p, g, _ := read(procs) // which check has found right
	n, b := float64(p.n), float64(p.block)
	panel := max(b, arrangedWidth)
	bytes := 8 * (n*n + n*panel*float64(g.cols) + n*b*float64(g.rows) + (2*b*b+4*n)*float64(procs))
	if p.mayGather(g.rows) {
		bytes += 8 * n * float64(panelStride(p.block)) * float64(g.cols)
	}
	return int64(min(bytes, math.MaxInt64/2))
}

// work is the factorisation; the check is cheaper.
func work(procs int) bsplib.Work {
	p, g, _ := read(procs) // which check has found right
	w := bsplib.Work{Amount: flops(p.n), Unit: "flop", PerSecond: 2e10}
	blocks := (p.n-1)/p.block + 1
	if w.Supersteps = 3 * blocks; p.pivot && g.rows > 1 && !p.mayGather(g.rows) {
		w.Supersteps += p.n // to agree on pivots
	}
	// The owner of a panel sends its part along the row, the owner of pivot rows along the column.
	n := float64(p.n)
	w.Sent = 4 * n * n * (float64(g.cols-1)/float64(g.rows) + float64(g.rows-1)/float64(g.cols))
	return w
}

// flops returns the number of operations of the factorisation.
func flops(order int) float64 {
	n := float64(order)
	return 2*n*n*n/3 - n*n/2
}
