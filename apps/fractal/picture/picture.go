package picture

import (
	"image/color"
	"math"
)

// Picture is grey or in colour.
type Picture struct {
	Width, Height int
	Channels      int     // 1: grey, 3: red, green, blue
	Pix           []uint8 // row by row, the channels of a pixel next to each other
}

// New is a black picture.
func New(width, height, channels int) *Picture {
	return &Picture{Width: width, Height: height, Channels: channels, Pix: make([]uint8, width*height*channels)}
}

// Planes returns the luminance and, for pictures in colour, both planes of chrominance.
func (p *Picture) Planes() [][]uint8 {
	if p.Channels == 1 {
		return [][]uint8{p.Pix}
	}
	planes := make([][]uint8, 3)
	for i := range planes {
		planes[i] = make([]uint8, p.Width*p.Height)
	}
	for i := range planes[0] {
		planes[0][i], planes[1][i], planes[2][i] = color.RGBToYCbCr(p.Pix[3*i], p.Pix[3*i+1], p.Pix[3*i+2])
	}
	return planes
}

// Join makes a picture of its planes.
func Join(width, height int, planes [][]uint8) *Picture {
	p := New(width, height, len(planes))
	if len(planes) == 1 {
		copy(p.Pix, planes[0])
		return p
	}
	for i := range planes[0] {
		p.Pix[3*i], p.Pix[3*i+1], p.Pix[3*i+2] = color.YCbCrToRGB(planes[0][i], planes[1][i], planes[2][i])
	}
	return p
}

// Halve returns a plane of half the width and height, rounded up: means of 2 x 2 pixels, or
// of fewer at the edges.
func Halve(pix []uint8, width, height int) []uint8 {
	to := make([]uint8, 0, (width+1)/2*((height+1)/2))
	for y := 0; y < height; y += 2 {
		below := min(y+1, height-1)
		for x := 0; x < width; x += 2 {
			right := min(x+1, width-1)
			sum := int(pix[y*width+x]) + int(pix[y*width+right]) + int(pix[below*width+x]) + int(pix[below*width+right])
			to = append(to, uint8((sum+2)/4))
		}
	}
	return to
}

// Double is a plane of the given width and height, of one with half of both, rounded
// up. Between pixels it is interpolated.
func Double(pix []uint8, width, height int) []uint8 {
	from, rows := (width+1)/2, (height+1)/2
	to := make([]uint8, 0, width*height)
	for y := range height {
		near, far := neighbours(y, rows)
		for x := range width {
			left, right := neighbours(x, from)
			at := func(x, y int) int { return int(pix[y*from+x]) }
			sum := 9*at(left, near) + 3*at(right, near) + 3*at(left, far) + at(right, far)
			to = append(to, uint8((sum+8)/16))
		}
	}
	return to
}

// neighbours returns the pixels of a coarse line that are next to pixel i of a line of
// twice the length: the one around it and the one on its other side.
func neighbours(i, coarse int) (near, far int) {
	near = i / 2
	return near, max(0, min(coarse-1, near+2*(i%2)-1))
}

// Extend is a plane of another width and height that are not smaller: its last column
// and row are repeated.
func Extend(pix []uint8, width, height, toWidth, toHeight int) []uint8 {
	to := make([]uint8, toWidth*toHeight)
	for y := range toHeight {
		line := to[y*toWidth:][:toWidth]
		copy(line, pix[min(y, height-1)*width:][:width])
		for x := width; x < toWidth; x++ {
			line[x] = line[width-1]
		}
	}
	return to
}

// Crop is the upper left part of a plane.
func Crop(pix []uint8, width, toWidth, toHeight int) []uint8 {
	to := make([]uint8, 0, toWidth*toHeight)
	for y := range toHeight {
		to = append(to, pix[y*width:][:toWidth]...)
	}
	return to
}

// PSNR returns the peak signal-to-noise ratio, in decibels, of two pictures of the same size: over
// all pixels and channels, at most [Same].
func PSNR(a, b *Picture) float64 {
	sum := 0
	for i, x := range a.Pix {
		d := int(x) - int(b.Pix[i])
		sum += d * d
	}
	return min(Same, 10*math.Log10(255*255*float64(len(a.Pix))/float64(sum)))
}

// Same is the PSNR of pictures that do not differ.
const Same = 100
