package code

import (
	"bytes"
	"slices"
	"testing"
)

// Iterating the codes gives the same picture from any start, except for rounding.
func TestRenderComesToRest(t *testing.T) {
	for _, h := range headers {
		for i, m := range matches(h) {
			p := h.Plane(i)
			dark := make([]uint8, p.Ranges()*p.Pixels())
			light := bytes.Repeat([]byte{255}, len(dark))
			if n := p.Render(m, dark, 0); n == MaxRounds {
				t.Errorf("%+v, plane %d: no rest", h, i)
			}
			p.Render(m, light, 0)
			for at, x := range dark {
				if d := int(x) - int(light[at]); d > 2 || d < -2 {
					t.Fatalf("%+v, plane %d: pixel %d is %d or %d", h, i, at, x, light[at])
				}
			}
			if again := bytes.Clone(dark); p.Render(m, again, 1) != 1 {
				t.Errorf("%+v: more than one round", h)
			}
		}
	}
}

// One round with one domain, by hand: the picture is a slope, mirrored.
func TestRenderOnce(t *testing.T) {
	p := Header{Width: 8, Height: 4, Planes: 1, Chroma: 1, Block: 4, Domains: 1}.Plane(0)
	pix := make([]uint8, 32)
	for i := range pix {
		pix[i] = uint8(10 * (i % 8))
	}
	p.Render([]Match{{Isometry: 4, Contrast: 8, Mean: 50}, {Mean: 20}}, pix, 1)
	// The means of two columns are 5, 25, 45, 65, and the overall mean is 35; the differences are
	// halved.
	want := []uint8{115, 105, 95, 85, 40, 40, 40, 40}
	if !bytes.Equal(pix[:8], want) || !bytes.Equal(pix[24:], want) {
		t.Errorf("%v, want %v", pix, want)
	}
}

// Domains are all different if the plane has enough blocks, and the first begins at the first block.
func TestDomainsAreSpread(t *testing.T) {
	for _, domains := range []int{1, 7, 30, 63, 64} {
		p := Header{Width: 64, Height: 64, Planes: 1, Chroma: 1, Block: 8, Domains: domains}.Plane(0)
		seen := make(map[[2]int]bool)
		for d := range domains {
			column, row := p.Domain(d)
			if column < 0 || column >= 8 || row < 0 || row >= 8 || d == 0 && column+row > 0 {
				t.Errorf("domain %d of %d is at %d, %d", d, domains, column, row)
			}
			seen[[2]int{column, row}] = true
		}
		if len(seen) != domains {
			t.Errorf("%d places for %d domains", len(seen), domains)
		}
	}
}

// A domain wraps around at the edge.
func TestShrinkWraps(t *testing.T) {
	p := Header{Width: 8, Height: 8, Planes: 1, Chroma: 1, Block: 4, Domains: 4}.Plane(0)
	pix, sums := make([]uint8, 64), make([]uint16, 16)
	for i := range pix {
		pix[i] = uint8(i)
	}
	p.Shrink(3, pix, sums) // begins at (4, 4)
	if sums[0] != 36+37+44+45 || sums[2] != 32+33+40+41 || sums[8] != 4+5+12+13 || sums[15] != 2+3+10+11+16*2+16*2 {
		t.Errorf("%v", sums)
	}
}

// Domains cut from strips equal the picture's, also where strips wrap around at the upper edge.
func TestStrips(t *testing.T) {
	for _, h := range []Header{
		{Width: 64, Height: 40, Planes: 1, Chroma: 1, Block: 8, Domains: 40},
		{Width: 30, Height: 50, Planes: 1, Chroma: 1, Block: 4, Domains: 61},
		{Width: 9, Height: 5, Planes: 1, Chroma: 1, Block: 8, Domains: 2},
	} {
		p := h.Plane(0)
		pix := make([]uint8, p.Ranges()*p.Pixels())
		for i := range pix {
			pix[i] = uint8(i * i / 7)
		}
		want, got := make([]uint16, p.Pixels()), make([]uint16, p.Pixels())
		for first := range p.Domains {
			for end := first + 1; end <= p.Domains; end += 3 {
				s := p.Strip(first, end)
				strip := make([]uint16, s.Values())
				s.Shrink(pix, strip)
				for d := first; d < end; d++ {
					s.Cut(d, strip, got)
					if p.Shrink(d, pix, want); !slices.Equal(got, want) {
						t.Fatalf("%+v: domain %d of those from %d to %d: %v, want %v", h, d, first, end, got, want)
					}
				}
			}
		}
	}
}
