package main

import (
	"fmt"
	"image"
	_ "image/png" // pictures of obstacles
	"math"
	"os"
	"strings"
)

// obstacle tells whether a cell is solid: x along the channel, h from the lower wall, y
// from the front.
type obstacle func(x, h, y int) bool

// obstacleOf makes the obstacle of a name, or of a picture.
func (p *parameters) obstacleOf(name string) (obstacle, error) {
	length, height := float64(p.length), float64(p.height)
	// A little beside the middle, so that eddies begin to leave it soon.
	x0, h0, y0, r := length/5, height/2+height/50, float64(p.breadth)/2, height/9
	switch {
	case name == "none":
		return nil, nil
	case name == "cylinder":
		return func(x, h, _ int) bool { return math.Hypot(float64(x)+0.5-x0, float64(h)+0.5-h0) < r }, nil
	case name == "sphere" && p.breadth == 0:
		return nil, fmt.Errorf("-obstacle sphere: in two dimensions it is a cylinder; use -d3")
	case name == "sphere":
		r *= 1.5
		return func(x, h, y int) bool {
			return math.Hypot(math.Hypot(float64(x)+0.5-x0, float64(h)+0.5-h0), float64(y)+0.5-y0) < r
		}, nil
	case name == "hills":
		return func(x, h, _ int) bool {
			return float64(h)+0.5 < height*(0.3-0.2*math.Cos(6*math.Pi*(float64(x)+0.5)/length))
		}, nil
	case strings.HasSuffix(name, ".png"):
		return p.picture(name)
	}
	return nil, fmt.Errorf("-obstacle %s: it is none, cylinder, sphere, hills or a PNG file", name)
}

// picture reads an obstacle: what is darker than half is solid. The picture is made to fit
// the channel.
func (p *parameters) picture(path string) (obstacle, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("-obstacle: %w", err)
	}
	defer f.Close()
	m, _, err := image.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("-obstacle %s: %w", path, err)
	}
	of := m.Bounds()
	solid := make([]bool, p.length*p.height)
	for h := range p.height {
		for x := range p.length {
			at := image.Pt(of.Min.X+x*of.Dx()/p.length, of.Max.Y-1-h*of.Dy()/p.height)
			r, g, b, a := m.At(at.X, at.Y).RGBA()
			// Colours are multiplied by how opaque they are: what lets light through is bright.
			solid[h*p.length+x] = (r+g+b)/3+(0xffff-a) < 0x8000
		}
	}
	return func(x, h, _ int) bool { return solid[h*p.length+x] }, nil
}

// blocked is how many of the layers have an obstacle somewhere: what stands in the way.
func (p *parameters) blocked() int {
	count := 0
	for h := range p.height {
	layer:
		for y := range max(1, p.breadth) {
			for x := range p.length {
				if p.solid(x, h, y) {
					count++
					break layer
				}
			}
		}
	}
	return count
}

// hasFluid tells whether any cell is not solid.
func (p *parameters) hasFluid() bool {
	for h := range p.height {
		for y := range max(1, p.breadth) {
			for x := range p.length {
				if !p.solid(x, h, y) {
					return true
				}
			}
		}
	}
	return false
}
