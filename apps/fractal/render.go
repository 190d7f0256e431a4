package main

import (
	"slices"

	"github.com/migbsp/migbsp/apps/fractal/code"
	"github.com/migbsp/migbsp/apps/fractal/picture"
)

// render makes a picture of codes, from planes of whole blocks, which it does not change,
// and returns how often codes were applied: see [code.Plane.Render].
func render(h code.Header, matches [][]code.Match, from [][]uint8, rounds int) (*picture.Picture, int) {
	var planes [][]uint8
	most := 0
	for i, m := range matches {
		p := h.Plane(i)
		pix := append([]uint8(nil), from[i]...)
		most = max(most, p.Render(m, pix, rounds))
		pix = picture.Crop(pix, p.Columns*p.Block, p.Width, p.Height)
		if p.Width != h.Width || p.Height != h.Height {
			pix = picture.Double(pix, h.Width, h.Height)
		}
		planes = append(planes, pix)
	}
	return picture.Join(h.Width, h.Height, planes), most
}

// flat returns planes of whole blocks with one value.
func flat(h code.Header, value uint8) [][]uint8 {
	var planes [][]uint8
	for i := range h.Planes {
		p := h.Plane(i)
		planes = append(planes, slices.Repeat([]uint8{value}, p.Ranges()*p.Pixels()))
	}
	return planes
}

// apart returns the maximum difference of two pictures.
func apart(a, b *picture.Picture) float64 {
	most := 0
	for i, x := range a.Pix {
		d := int(x) - int(b.Pix[i])
		most = max(most, d, -d)
	}
	return float64(most)
}
