package picture

import (
	"image"
	"image/color"
	"image/png"
	"io"

	"github.com/migbsp/migbsp/apps/internal/pngfile"
)

// Open reads a PNG file. The picture is grey if all its pixels are. Transparent pixels become darker,
// as on black.
//
// Errors of the system name the file; others only describe the mistake.
func Open(name string) (*Picture, error) {
	m, err := pngfile.Open(name)
	if err != nil {
		return nil, err
	}
	return fromImage(m), nil
}

func fromImage(m image.Image) *Picture {
	size := m.Bounds()
	p, grey := New(size.Dx(), size.Dy(), 3), true
	to := p.Pix
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			r, g, b, _ := m.At(x, y).RGBA()
			to[0], to[1], to[2] = uint8(r>>8), uint8(g>>8), uint8(b>>8)
			grey = grey && to[0] == to[1] && to[1] == to[2]
			to = to[3:]
		}
	}
	if grey {
		return p.pick(0)
	}
	return p
}

// pick is one of the channels.
func (p *Picture) pick(channel int) *Picture {
	one := New(p.Width, p.Height, 1)
	for i := range one.Pix {
		one.Pix[i] = p.Pix[i*p.Channels+channel]
	}
	return one
}

// Grey is the luminance alone.
func (p *Picture) Grey() *Picture {
	return &Picture{Width: p.Width, Height: p.Height, Channels: 1, Pix: p.Planes()[0]}
}

// Tile returns a picture of another size, made of copies of p. All channels of a grey picture are
// equal.
func (p *Picture) Tile(width, height, channels int) *Picture {
	if channels == 1 && p.Channels == 3 {
		p = p.Grey()
	}
	to := New(width, height, channels)
	for i := range to.Pix {
		x, y, c := i/channels%width%p.Width, i/channels/width%p.Height, min(i%channels, p.Channels-1)
		to.Pix[i] = p.Pix[(y*p.Width+x)*p.Channels+c]
	}
	return to
}

// Write writes the picture as PNG.
func (p *Picture) Write(w io.Writer) error {
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if p.Channels == 1 {
		return encoder.Encode(w, &image.Gray{Pix: p.Pix, Stride: p.Width, Rect: image.Rect(0, 0, p.Width, p.Height)})
	}
	m := image.NewNRGBA(image.Rect(0, 0, p.Width, p.Height))
	for i := range p.Width * p.Height {
		m.SetNRGBA(i%p.Width, i/p.Width, color.NRGBA{R: p.Pix[3*i], G: p.Pix[3*i+1], B: p.Pix[3*i+2], A: 255})
	}
	return encoder.Encode(w, m)
}
