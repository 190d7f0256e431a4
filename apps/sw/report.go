package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/migbsp/migbsp/apps/internal/lines"
	"github.com/migbsp/migbsp/apps/internal/numbers"
	"github.com/migbsp/migbsp/apps/sw/cells"
	"github.com/migbsp/migbsp/bsplib"
)

// checkedCells is the largest number of cells for which the score is compared with the
// plain algorithm's.
const checkedCells = 50_000_000

// report gathers the alignment on process 0, checks it, writes it to the requested files, and passes
// the result on. All processes agree whether it passed.
func (s *state) report(b *bsplib.Proc, p *parameters) error {
	seconds := (b.Time() - s.Began).Seconds()
	a := s.collect(b)
	scores := s.scores(b, p)
	sum := s.checksum(b, p, a)
	var checks []bsplib.ResultCheck
	passed := []bool{true}
	if b.Pid() == 0 {
		checks = p.checks(a)
		for _, c := range checks {
			passed[0] = passed[0] && c.Passed
		}
	}
	bsplib.Broadcast(b, 0, passed)
	b.Report(bsplib.Result{
		Title: "Smith-Waterman, " + *matrix, Size: fmt.Sprintf("%d x %d", len(p.query), len(p.target)),
		Seconds: seconds, Work: float64(len(p.query)) * float64(len(p.target)), Unit: "cells",
		Details: p.details(a, b.NProcs()), Checks: checks, Checksum: fmt.Sprintf("%016x", sum),
	})
	switch {
	case !passed[0]:
		return bsplib.ErrNotVerified
	case b.Pid() == 0:
		return p.hand(a, scores)
	}
	return nil
}

// collect gathers the parts of the alignment on process 0.
func (s *state) collect(b *bsplib.Proc) *alignment {
	paths := bsplib.Gather(b, 0, s.Path)
	ends := bsplib.Gather(b, 0, []place{s.Begin, s.End})
	a := &alignment{score: s.Top.Score}
	for pid, path := range paths {
		for i := len(path) - 1; i >= 0; i-- {
			a.pieces = append(a.pieces, path[i])
		}
		if begin := ends[pid][0]; begin.Row > 0 {
			a.begin = begin
		}
		if end := ends[pid][1]; end.Row > 0 {
			a.end = end
		}
	}
	return a
}

// checksum mixes the alignment with the last row of the matrix: except the part of -density
// it does not depend on processes and blocks. It is right on process 0.
func (s *state) checksum(b *bsplib.Proc, p *parameters, a *alignment) uint64 {
	first, _ := p.columns(b.Pid(), b.NProcs())
	sum := uint64(0)
	for j, c := range s.Row {
		sum += numbers.Mix(numbers.Mix(uint64(first+j)) ^ uint64(uint32(c.H))<<32 ^ uint64(uint32(c.Gap)))
	}
	sum = bsplib.Sum(b, sum+s.Synthetic)
	for _, x := range []int32{a.score, a.begin.Row, a.begin.Column, a.end.Row, a.end.Column} {
		sum = numbers.Mix(sum ^ uint64(x))
	}
	for _, piece := range a.pieces {
		sum = numbers.Mix(sum ^ uint64(piece))
	}
	return sum
}

// checks compares the score with the sum over the alignment's pieces, and if that does not
// take long, with the plain algorithm's.
func (p *parameters) checks(a *alignment) []bsplib.ResultCheck {
	score, fits := a.recount(p)
	checks := []bsplib.ResultCheck{{Name: "score of the alignment's pieces", Value: float64(score), Passed: fits && score == a.score}}
	if len(p.query)*len(p.target) <= checkedCells {
		want := reference(p.scoring, p.query, p.target)
		checks = append(checks, bsplib.ResultCheck{Name: "score by the plain algorithm", Value: float64(want), Passed: want == a.score})
	}
	return checks
}

func (p *parameters) details(a *alignment, procs int) []bsplib.Detail {
	details := []bsplib.Detail{
		{Name: "Score", Value: fmt.Sprint(a.score)},
		{Name: "Equal", Value: a.identity(p)},
		{Name: "Query", Value: fmt.Sprintf("%d to %d", a.begin.Row, a.end.Row)},
		{Name: "Target", Value: fmt.Sprintf("%d to %d", a.begin.Column, a.end.Column)},
		{Name: "Gaps cost", Value: fmt.Sprintf("%d + %d a letter", p.scoring.Open, p.scoring.Extend)},
		{Name: "Kernels", Value: cells.Kernel()},
		{Name: "Blocks", Value: fmt.Sprintf("%d x %d", p.blocks, procs)},
	}
	if p.last > 0 {
		details = append(details, bsplib.Detail{Name: "Density", Value: fmt.Sprintf("%.3g to %.3g", p.first, p.last)})
	}
	return details
}

// hand prints and writes the outputs of the command line.
func (p *parameters) hand(a *alignment, scores []float32) error {
	if *show {
		if err := a.write(os.Stdout, p); err != nil {
			return err
		}
	}
	if *out != "" {
		if err := lines.Write(*out, func(w *bufio.Writer) error { return a.write(w, p) }); err != nil {
			return fmt.Errorf("-out: %w", err)
		}
	}
	if *picture != "" {
		if err := lines.Write(*picture, func(w *bufio.Writer) error { return p.paint(w, a, scores) }); err != nil {
			return fmt.Errorf("-png: %w", err)
		}
	}
	return nil
}

// reference returns the largest score by the plain algorithm: one row after the other, from
// the definitions.
func reference(s *scoring, query, target []byte) int32 {
	h, f := make([]int32, len(target)+1), make([]int32, len(target)+1)
	for j := range f {
		f[j] = cells.Never
	}
	most := int32(0)
	for _, x := range query {
		diagonal, e := int32(0), int32(cells.Never)
		for j, y := range target {
			up := h[j+1]
			e = max(h[j]-s.Open, e) - s.Extend
			f[j+1] = max(up-s.Open, f[j+1]) - s.Extend
			h[j+1] = max(0, diagonal+s.Pair[x][y], e, f[j+1])
			most = max(most, h[j+1])
			diagonal = up
		}
	}
	return most
}
