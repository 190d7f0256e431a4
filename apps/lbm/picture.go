package main

import (
	"image"
	"image/gif"
	"io"
	"math"
	"slices"

	"github.com/migbsp/migbsp/apps/internal/heat"
	"github.com/migbsp/migbsp/bsplib"
)

// paint makes a picture of the process's layers after a number of steps, halfway between
// front and back: a byte for each cell; fastest is the speed of the last colour.
func (s *state) paint(p *parameters, g *geometry, steps int, fastest float64) []byte {
	f, start := s.F.Slice(), base(steps)*g.shape.layer()
	pixels := make([]byte, 0, g.shape.layers*g.shape.length)
	y := p.breadth / 2
	for layer := range g.shape.layers {
		for x := range g.shape.length {
			if p.solid(x, g.first+layer, y) {
				pixels = append(pixels, heat.Nothing)
				continue
			}
			_, u, v, w := p.cell(f, g.shape.size(), g.shape.at(x, layer, y)+start)
			pixels = append(pixels, heat.Index(math.Sqrt(u*u+v*v+w*w)/fastest))
		}
	}
	return pixels
}

// whole gathers the picture of all layers on process 0.
func whole(b *bsplib.Proc, pixels []byte) []byte {
	return slices.Concat(bsplib.Gather(b, 0, pixels)...)
}

// isFrame reports whether a frame of the film is taken after a number of steps.
func (p *parameters) isFrame(steps int) bool {
	return steps > 0 && steps*p.frames/p.steps != (steps-1)*p.frames/p.steps
}

// brightest is the speed of the last colour in films, where it must be constant.
func (p *parameters) brightest() float64 { return 1.6 * p.speed }

// takeFrame adds a frame on process 0.
func (s *state) takeFrame(b *bsplib.Proc, p *parameters, g *geometry, steps int) {
	if frame := whole(b, s.paint(p, g, steps, p.brightest())); b.Pid() == 0 {
		s.Frames = append(s.Frames, frame)
	}
}

// image is a picture with the upper wall above.
func (p *parameters) image(pixels []byte) *image.Paletted {
	var turned []byte
	for h := p.height - 1; h >= 0; h-- {
		turned = append(turned, pixels[h*p.length:(h+1)*p.length]...)
	}
	return heat.Image(p.length, turned)
}

// writeGIF writes a film that repeats.
func (p *parameters) writeGIF(w io.Writer, frames [][]byte) error {
	film := new(gif.GIF)
	for _, frame := range frames {
		film.Image = append(film.Image, p.image(frame))
		film.Delay = append(film.Delay, 5)
	}
	return gif.EncodeAll(w, film)
}
