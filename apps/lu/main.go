// Lu factors a dense matrix, P A = L U, on a two-dimensional grid of processes
// and checks the result.
package main

import (
	"fmt"

	"github.com/migbsp/migbsp/apps/lu/dense"
	"github.com/migbsp/migbsp/bsplib"
)

const about = `
Lu factors a random dense n x n matrix, P A = L U, with partial pivoting. The
matrix is dealt out in blocks, in turn, to a grid of M x N processes. The result
is checked as HPL does. -block 1 -pivot none has the 2n+1 supersteps of the
textbook algorithm.`

func main() {
	bsplib.Main(lu, bsplib.Options{Description: about, CheckFlags: check, MemoryNeeded: memory, WorkNeeded: work})
}

func lu(b *bsplib.Proc, s *state) error {
	p, g, err := read(b.NProcs())
	if err != nil {
		return err
	}
	if b.Fresh() {
		s.setUp(b, p, g)
		b.Sync()
		s.Began = b.Time()
	}
	s.factor(b, p)
	return s.report(b, p, g, (b.Time() - s.Began).Seconds())
}

func (s *state) factor(b *bsplib.Proc, p parameters) {
	if p.pivot {
		s.pivoted(b, p)
	} else {
		s.unpivoted(b)
	}
}

// report hands over the result; all processes agree whether it passed.
func (s *state) report(b *bsplib.Proc, p parameters, g grid, seconds float64) error {
	residual, sum := s.A.residual(b, s.Swaps, p.seed, p.element), s.A.checksum(b)
	pivoting := "partial pivoting"
	if !p.pivot {
		pivoting = "no pivoting"
	}
	passed := residual < threshold
	details := []bsplib.Detail{
		{Name: "Process grid", Value: fmt.Sprintf("%d x %d", g.rows, g.cols)},
		{Name: "Blocks", Value: fmt.Sprintf("%d x %d", p.block, p.block)},
		{Name: "Kernels", Value: dense.Kernel()},
	}
	if p.mayGather(g.rows) {
		details = append(details, bsplib.Detail{Name: "Panels", Value: s.panels()})
	}
	b.Report(bsplib.Result{
		Title: "LU factorisation, " + pivoting, Size: fmt.Sprintf("%d x %d", p.n, p.n),
		Seconds: seconds, Work: flops(p.n), Unit: "flop",
		Details:  details,
		Checks:   []bsplib.ResultCheck{{Name: "|PAx-LUx| / (|A| |x| n eps)", Value: residual, Limit: threshold, Passed: passed}},
		Checksum: fmt.Sprintf("%016x", sum),
	})
	if !passed {
		return bsplib.ErrNotVerified
	}
	return nil
}

// panels names the block columns that were gathered.
func (s *state) panels() string {
	switch first := (s.A.Rows.N - s.Gather + s.A.block() - 1) / s.A.block() * s.A.block(); {
	case first <= 0:
		return panelsGathered
	case first >= s.A.Rows.N:
		return panelsSpread
	default:
		return fmt.Sprintf("%s from column %d", panelsGathered, first)
	}
}
