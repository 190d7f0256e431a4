// Spmv multiplies a sparse matrix with a vector, again and again: the power iteration,
// which finds the largest eigenvalue.
package main

import (
	"flag"
	"fmt"
	"math"

	"github.com/migbsp/migbsp/apps/internal/flags"
	"github.com/migbsp/migbsp/bsplib"
)

const about = `
Spmv repeats x = A x / |A x|, with the largest element as the norm, for a square
sparse matrix A: of a file in Matrix Market's format, a random one (-density), or the
Laplacian of a square in two dimensions. Blocks of rows with about as many nonzeros go
to the rows of a grid of M x N processes, columns in turn to its columns. The default,
p x 1, keeps rows whole; then the result is that of one process to the last bit.`

var (
	size       = flag.Int("n", 1000000, "order of a generated matrix")
	density    = flag.Float64("density", 0, "`part` of the elements of a random matrix that are not zero (default: a Laplacian)")
	matrix     = flag.String("matrix", "", "`file` with a matrix: coordinate; real, integer or pattern; general or symmetric")
	shape      = flag.String("grid", "", "`MxN` processes (default: p x 1)")
	iterations = flag.Int("iterations", 100, "multiply this often; each time is a stage")
	seed       = flag.Uint64("seed", 1, "of the random matrix")
)

func main() {
	bsplib.Main(power, bsplib.Options{Description: about, CheckFlags: check, MemoryNeeded: memory, WorkNeeded: work})
}

func power(b *bsplib.Proc, s *state) error {
	p, g, err := read(b.NProcs())
	if err != nil {
		return err
	}
	if b.Fresh() {
		if err := s.setUp(b, p, g); err != nil {
			return err
		}
		s.Began = b.Time()
	}
	for range b.Stages(p.iterations) {
		s.multiply(b)
		s.normalise(b)
	}
	return s.report(b, p, (b.Time() - s.Began).Seconds())
}

// normalise makes x of y, the product, and keeps its norm.
func (s *state) normalise(b *bsplib.Proc) {
	s.Norm = bsplib.Max(b, largest(s.Y))
	scale := 1.0
	if s.Norm > 0 {
		scale = 1 / s.Norm
	}
	for i, y := range s.Y {
		s.X[i] = scale * y
	}
}

// largest returns the size of the largest element, or NaN if any is NaN. It compares bits,
// whose order is the order of the sizes: comparing numbers takes several times as long,
// because each comparison waits for the one before.
func largest(y []float64) float64 {
	const sign = 1 << 63
	most := uint64(0)
	for _, element := range y {
		most = max(most, math.Float64bits(element)&^sign)
	}
	return math.Float64frombits(most)
}

// parameters is the values of the command line.
type parameters struct {
	n, iterations int
	density       float64
	file          string
	seed          uint64
}

const largestOrder = math.MaxInt32

// read returns the parameters of the command line, for a number of processes.
func read(procs int) (parameters, grid, error) {
	p := parameters{n: *size, iterations: *iterations, density: *density, file: *matrix, seed: *seed}
	g := grid{procs, 1}
	switch {
	case p.n < 1 || p.n > largestOrder:
		return p, g, fmt.Errorf("-n %d: expected a number from 1 to %d", p.n, largestOrder)
	case p.iterations < 1:
		return p, g, fmt.Errorf("-iterations %d: at least one is needed", p.iterations)
	case !(p.density >= 0 && p.density <= 1):
		return p, g, fmt.Errorf("-density %g: expected a number from 0 to 1", p.density)
	}
	if err := p.unused(); err != nil {
		return p, g, err
	}
	if *shape != "" {
		var rest string
		if n, _ := fmt.Sscanf(*shape+" ", "%dx%d%s", &g.rows, &g.cols, &rest); n != 2 || g.rows < 1 || g.cols < 1 {
			return p, g, fmt.Errorf("-grid %s: it is rows x columns, like 2x4", *shape)
		}
		if g.rows > procs || g.cols > procs || g.rows*g.cols != procs {
			return p, g, fmt.Errorf("-grid %s: %d processes run; expected a grid of as many", *shape, procs)
		}
	}
	return p, g, nil
}

// unused finds flags that the matrix has no use for.
func (p parameters) unused() error {
	switch {
	case p.file != "":
		return flags.Unused("the matrix is that of -matrix", "n", "density", "seed")
	case p.density == 0:
		return flags.Unused("only a random matrix has use for it, see -density", "seed")
	}
	return nil
}

// check reads a file once, to find mistakes.
func check(procs int) error {
	p, _, err := read(procs)
	if err == nil && p.file != "" {
		_, err = readMarket(p.file, func(int, int, float64) {})
	}
	return err
}

// report checks a product and hands over the result; all processes agree whether it
// passed.
func (s *state) report(b *bsplib.Proc, p parameters, seconds float64) error {
	sum := s.checksum(b)
	off, err := s.compare(b, p)
	if err != nil {
		return err
	}
	nonzeros := bsplib.Sum(b, len(s.A.Values))
	most := bsplib.Max(b, len(s.A.Values))
	passed := off <= 1
	b.Report(bsplib.Result{
		Title: "Power iteration, " + p.source(), Size: fmt.Sprintf("%d x %d, %d nonzeros", s.N, s.N, nonzeros),
		Seconds: seconds, Work: 2 * float64(nonzeros) * float64(p.iterations), Unit: "flop",
		Details: []bsplib.Detail{
			{Name: "Process grid", Value: fmt.Sprintf("%d x %d", s.Grid.Rows, s.Grid.Cols)},
			{Name: "Iterations", Value: fmt.Sprint(p.iterations)},
			{Name: "Nonzeros max/mean", Value: fmt.Sprintf("%.3f", float64(most)*float64(b.NProcs())/float64(max(1, nonzeros)))},
			{Name: "|A x| at the end", Value: fmt.Sprintf("%.12g", s.Norm)},
		},
		Checks:   []bsplib.ResultCheck{{Name: "|A x - sequential A x| / rounding", Value: off, Limit: 1, Passed: passed}},
		Checksum: fmt.Sprintf("%016x", sum),
	})
	if !passed {
		return bsplib.ErrNotVerified
	}
	return nil
}
