package main

import (
	"fmt"
	"image"
	"slices"

	"github.com/migbsp/migbsp/apps/internal/pngfile"
	"github.com/migbsp/migbsp/internal/settings"
)

// silhouette is a picture reduced to pixels darker than half.
type silhouette struct {
	width, height int
	dark          []bool // line by line from below
}

// silhouetteOf makes a silhouette of a picture, with at most the given columns and lines.
// Colours are multiplied by their opacity: transparent pixels are bright.
func silhouetteOf(m image.Image, columns, lines int) *silhouette {
	of := m.Bounds()
	s := &silhouette{width: min(columns, of.Dx()), height: min(lines, of.Dy())}
	for i := range s.height {
		y := of.Max.Y - 1 - i*of.Dy()/s.height
		for j := range s.width {
			r, g, b, a := m.At(of.Min.X+j*of.Dx()/s.width, y).RGBA()
			s.dark = append(s.dark, (r+g+b)/3+(0xffff-a) < 0x8000)
		}
	}
	return s
}

// line is one of the lines.
func (s *silhouette) line(i int) []bool { return s.dark[i*s.width : (i+1)*s.width] }

// obstacleIn reads an obstacle from a PNG file, which is made to fit the channel.
func (p *parameters) obstacleIn(path string) (*obstacle, error) {
	m, err := pngfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("-obstacle %s: %w", path, settings.OfFile(path, err))
	}
	s := silhouetteOf(m, p.length, p.height)
	if !slices.Contains(s.dark, false) {
		return nil, fmt.Errorf("-obstacle %s: it leaves no fluid in the channel", path)
	}
	blocks := make([]bool, s.height)
	for i := range blocks {
		blocks[i] = slices.Contains(s.line(i), true)
	}
	return &obstacle{
		solid:  func(x, h, _ int) bool { return s.line(h * s.height / p.height)[x*s.width/p.length] },
		blocks: func(h int) bool { return blocks[h*s.height/p.height] },
	}, nil
}
