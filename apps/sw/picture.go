package main

import (
	"io"
	"math"

	"github.com/migbsp/migbsp/apps/internal/heat"
	"github.com/migbsp/migbsp/bsplib"
)

// The picture has a line for each block of rows, with the scores of its last row, which are
// kept anyway, and enough pixels in a line to keep the matrix's shape.

// pixels is the width of the picture.
func (p *parameters) pixels() int {
	return max(1, min(len(p.target), p.blocks*len(p.target)/len(p.query)))
}

// scores returns on process 0, if a picture is requested, the largest score in each pixel.
func (s *state) scores(b *bsplib.Proc, p *parameters) []float32 {
	if *picture == "" {
		return nil
	}
	width, n := p.pixels(), len(p.target)
	first, last := p.columns(b.Pid(), b.NProcs())
	from, to := first*width/n, (last-1)*width/n+1
	own := make([]float32, p.blocks*(to-from))
	for block := range p.blocks {
		row := s.Row
		if block+1 < p.blocks {
			row = s.Rows[block*len(s.Row):][:len(s.Row)]
		}
		for j, c := range row {
			at := &own[block*(to-from)+(first+j)*width/n-from]
			*at = max(*at, float32(c.H))
		}
	}
	var all []float32
	for pid, part := range bsplib.Gather(b, 0, own) {
		if all == nil {
			all = make([]float32, p.blocks*width)
		}
		first, last := p.columns(pid, b.NProcs())
		from, to := first*width/n, (last-1)*width/n+1
		for i, x := range part {
			at := &all[i/(to-from)*width+from+i%(to-from)]
			*at = max(*at, x)
		}
	}
	return all
}

// paint writes the picture. It emphasises small scores; the alignment is grey.
func (p *parameters) paint(w io.Writer, a *alignment, scores []float32) error {
	width := p.pixels()
	indices := make([]byte, len(scores))
	for i, x := range scores {
		indices[i] = heat.Index(math.Sqrt(float64(x) / max(1, float64(a.score))))
	}
	row, column := int(a.begin.Row)-1, int(a.begin.Column)-1
	for _, piece := range a.pieces {
		indices[p.blockOf(row)*width+column*width/len(p.target)] = heat.Nothing
		if piece != targetOp {
			row++
		}
		if piece != queryOp {
			column++
		}
		row, column = min(row, len(p.query)-1), min(column, len(p.target)-1)
	}
	return heat.WritePNG(w, heat.Image(width, indices))
}
