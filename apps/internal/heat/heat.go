// Package heat provides the colours of pictures that show an amount at each pixel.
package heat

import (
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
)

// Nothing is the index of the colour of pixels without an amount.
const Nothing = 0

// steps is the number of colours of the scale.
const steps = 255

// Colours contains the colours of Index, and grey for pixels without an amount.
var Colours = colours()

func colours() color.Palette {
	stops := []color.RGBA{
		{10, 14, 44, 255}, {30, 52, 118, 255}, {34, 118, 150, 255}, {86, 178, 130, 255},
		{222, 208, 92, 255}, {244, 144, 66, 255}, {252, 244, 224, 255},
	}
	all := color.Palette{color.RGBA{128, 128, 128, 255}}
	for i := range steps {
		at := float64(i) / (steps - 1) * float64(len(stops)-1)
		from, to := stops[int(at)], stops[min(int(at)+1, len(stops)-1)]
		part := at - math.Floor(at)
		blend := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + part*(float64(b)-float64(a)))) }
		all = append(all, color.RGBA{blend(from.R, to.R), blend(from.G, to.G), blend(from.B, to.B), 255})
	}
	return all
}

// Index returns the index of the colour of a part of all; a part below 0 is 0, and above 1
// it is 1.
func Index(part float64) byte {
	if !(part > 0) {
		return 1
	}
	return byte(1 + int(min(part, 1)*(steps-1)))
}

// Image is a picture of indices, line after line from above.
func Image(width int, indices []byte) *image.Paletted {
	m := image.NewPaletted(image.Rect(0, 0, width, len(indices)/width), Colours)
	copy(m.Pix, indices)
	return m
}

// WritePNG writes a picture as a small file.
func WritePNG(w io.Writer, m image.Image) error {
	e := png.Encoder{CompressionLevel: png.BestCompression}
	return e.Encode(w, m)
}
