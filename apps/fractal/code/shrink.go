package code

// Shrink writes the sums of four pixels that a domain of a plane consists of. The
// picture has whole blocks.
func (p Plane) Shrink(d int, pix []uint8, to []uint16) { shrink(p, d, pix, to) }

func shrink[Pixel, Sum uint8 | uint16 | int32](p Plane, d int, pix []Pixel, to []Sum) {
	column, row := p.Domain(d)
	width, height := p.Columns*p.Block, p.Rows*p.Block
	for y := range p.Block {
		line := (row*p.Block + 2*y) % height * width
		for x := range p.Block {
			at := line + (column*p.Block+2*x)%width
			to[y*p.Block+x] = Sum(pix[at]) + Sum(pix[at+1]) + Sum(pix[at+width]) + Sum(pix[at+width+1])
		}
	}
}

// Strip is some lines of a plane that is shrunk as a whole: the lines of consecutive
// domains. As these overlap it may be shorter than all of them.
type Strip struct {
	Plane        Plane
	First, Lines int // the last is followed by line 0
}

// Strip returns the strip of the domains from first to before end, which must not be empty.
func (p Plane) Strip(first, end int) Strip {
	_, top := p.Domain(first)
	_, bottom := p.Domain(end - 1)
	half := p.Block / 2
	return Strip{p, top * half, min(bottom-top+2, p.Rows) * half}
}

// Values is the length of a strip: sums of four pixels, line by line.
func (s Strip) Values() int { return s.Lines * s.width() }

func (s Strip) width() int { return s.Plane.Columns * s.Plane.Block / 2 }

// Shrink writes a strip of a picture of whole blocks.
func (s Strip) Shrink(pix []uint8, to []uint16) {
	width, height := s.width(), s.Plane.Rows*s.Plane.Block/2
	for y := range s.Lines {
		upper := pix[(s.First+y)%height*4*width:][:4*width]
		lower := upper[2*width:]
		for x := range width {
			to[y*width+x] = uint16(upper[2*x]) + uint16(upper[2*x+1]) + uint16(lower[2*x]) + uint16(lower[2*x+1])
		}
	}
}

// Cut writes one of the strip's domains, as Plane.Shrink does.
func (s Strip) Cut(d int, strip, to []uint16) {
	column, row := s.Plane.Domain(d)
	width, height, half := s.width(), s.Plane.Rows*s.Plane.Block/2, s.Plane.Block/2
	at := (row*half - s.First + height) % height
	for y := range s.Plane.Block {
		line, part := strip[at*width:][:width], to[y*s.Plane.Block:][:s.Plane.Block]
		for n := copy(part, line[column*half:]); n < len(part); {
			n += copy(part[n:], line)
		}
		if at++; at == height {
			at = 0
		}
	}
}
