package main

import (
	"bufio"

	colours "github.com/migbsp/migbsp/apps/internal/heat"
	"github.com/migbsp/migbsp/apps/internal/lines"
	"github.com/migbsp/migbsp/bsplib"
)

// paint writes the picture that the command line asks for: of the layer in the middle, in
// colours from the least temperature of all cells to the largest.
func (s *state) paint(b *bsplib.Proc, p *parameters, part *part, found between) error {
	if *picture == "" {
		return nil
	}
	var pixels []byte
	for at, line := range part.lines(s.U) {
		if p.isPainted(part, at) {
			for _, u := range line {
				pixels = append(pixels, colours.Index((u-found.Least)/(found.Most-found.Least)))
			}
		}
	}
	all := bsplib.Gather(b, 0, pixels)
	if b.Pid() != 0 {
		return nil
	}
	return lines.Write(*picture, func(w *bufio.Writer) error {
		return colours.WritePNG(w, colours.Image(p.n, p.joined(all)))
	})
}

// isPainted reports whether a line is in the picture.
func (p *parameters) isPainted(part *part, at axes) bool {
	return p.dim == 2 || part.first[2]+at[2] == p.n/2
}

// joined is the whole picture of the pixels of each process, with the top wall above.
func (p *parameters) joined(pixels [][]byte) []byte {
	whole := make([]byte, p.n*p.n)
	for pid, rest := range pixels {
		part := p.partOf(pid)
		for y := 0; len(rest) > 0; y++ {
			row := p.n - 1 - (part.first[1] + y)
			copy(whole[row*p.n+part.first[0]:], rest[:part.block.X])
			rest = rest[part.block.X:]
		}
	}
	return whole
}
