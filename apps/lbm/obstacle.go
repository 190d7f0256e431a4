package main

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/apps/internal/pngfile"
	"github.com/migbsp/migbsp/internal/settings"
)

// obstacle is a body in the flow.
type obstacle struct {
	// solid reports whether a cell is solid: x along the channel, h from the lower wall, y
	// from the front.
	solid func(x, h, y int) bool
	// blocks reports whether any cell of a layer is solid, in short time: it does not check
	// all of them.
	blocks func(h int) bool
}

// widestAt returns an obstacle whose layers are found by testing some positions along the channel,
// halfway between front and back.
func (p *parameters) widestAt(solid func(x, h, y int) bool, places ...float64) *obstacle {
	return &obstacle{solid, func(h int) bool {
		return slices.ContainsFunc(places, func(x float64) bool { return solid(int(x), h, p.breadth/2) })
	}}
}

// obstacleOf makes the obstacle of a name, or of a picture; nil is none.
func (p *parameters) obstacleOf(name string) (*obstacle, error) {
	length, height := float64(p.length), float64(p.height)
	// Slightly off the middle, so that eddies separate soon.
	x0, h0, y0, r := length/5, height/2+height/50, float64(p.breadth)/2, height/9
	switch {
	case name == "none":
		return nil, nil
	case name == "cylinder":
		return p.widestAt(func(x, h, _ int) bool { return math.Hypot(float64(x)+0.5-x0, float64(h)+0.5-h0) < r }, x0), nil
	case name == "sphere" && p.breadth == 0:
		return nil, fmt.Errorf("-obstacle sphere: in two dimensions it is a cylinder; use -d3")
	case name == "sphere":
		r *= 1.5
		return p.widestAt(func(x, h, y int) bool {
			return math.Hypot(math.Hypot(float64(x)+0.5-x0, float64(h)+0.5-h0), float64(y)+0.5-y0) < r
		}, x0), nil
	case name == "hills":
		return p.widestAt(func(x, h, _ int) bool {
			return float64(h)+0.5 < height*(0.3-0.2*math.Cos(6*math.Pi*(float64(x)+0.5)/length))
		}, length/6, length/2, length*5/6), nil
	case strings.HasSuffix(strings.ToLower(name), ".png"):
		return p.obstacleIn(name)
	}
	return nil, fmt.Errorf("-obstacle %s: it is none, cylinder, sphere, hills or a PNG file", name)
}

// blocked returns the number of layers with a part of an obstacle.
func (p *parameters) blocked() int {
	count := 0
	for h := range p.height {
		if p.obstacle.blocks(h) {
			count++
		}
	}
	return count
}

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
