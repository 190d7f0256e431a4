package code

import (
	"fmt"
	"math/bits"
)

// Header is the parameters of a picture's codes.
type Header struct {
	Width, Height int
	Planes        int // 1 or 3
	Chroma        int // pixels of the picture for one of chrominance, in each direction: 1 or 2
	Block         int // side of the range blocks
	Domains       int // of the first plane
}

// Limits of pictures. Sides of blocks are powers of two.
const (
	MinBlock, MaxBlock = 4, 32
	MaxPixels          = 1 << 26
)

// Plane is one of a picture's planes, cut into range blocks. Its last blocks may
// reach over its edge.
type Plane struct {
	Width, Height int
	Columns, Rows int // of blocks
	Block         int
	Domains       int
}

// Check refuses headers that no picture can have.
func (h Header) Check() error {
	switch {
	case h.Width < 1 || h.Height < 1 || h.Width > MaxPixels || h.Height > MaxPixels/h.Width:
		return fmt.Errorf("%d x %d pixels; expected 1 to %d in all", h.Width, h.Height, MaxPixels)
	case h.Planes != 1 && h.Planes != 3:
		return fmt.Errorf("%d planes; expected 1 or 3", h.Planes)
	case h.Chroma != 1 && (h.Chroma != 2 || h.Planes != 3):
		return fmt.Errorf("chrominance of 1 in %d with %d planes; expected 1, or 2 with 3 planes", h.Chroma, h.Planes)
	case h.Block < MinBlock || h.Block > MaxBlock || bits.OnesCount(uint(h.Block)) != 1:
		return fmt.Errorf("blocks of %d x %d; expected 4, 8, 16 or 32", h.Block, h.Block)
	}
	if ranges := h.Plane(0).Ranges(); h.Domains < 1 || h.Domains > ranges {
		return fmt.Errorf("%d domains for %d blocks of %d x %d; expected 1 to %d", h.Domains, ranges, h.Block, h.Block, ranges)
	}
	return nil
}

// Plane returns plane i of the picture. The first has all pixels and the header's number of domains;
// the others have domains in proportion.
func (h Header) Plane(i int) Plane {
	p := Plane{Width: h.Width, Height: h.Height, Block: h.Block, Domains: h.Domains}
	p.cut()
	if i > 0 && h.Chroma > 1 {
		all := p.Ranges()
		p.Width, p.Height = (h.Width+1)/2, (h.Height+1)/2
		p.cut()
		p.Domains = (h.Domains*p.Ranges() + all - 1) / all
	}
	return p
}

func (p *Plane) cut() {
	p.Columns, p.Rows = (p.Width+p.Block-1)/p.Block, (p.Height+p.Block-1)/p.Block
}

// Ranges is the number of range blocks.
func (p Plane) Ranges() int { return p.Columns * p.Rows }

// Pixels returns the number of pixels in a block.
func (p Plane) Pixels() int { return p.Block * p.Block }

// Domain returns the block at the upper left of a domain, which has two blocks in each direction.
// Domains are spread evenly over the blocks. Domains that begin in the last column or row wrap around
// to the first. Each consists of whole blocks; therefore applying codes repeatedly converges from any
// picture.
func (p Plane) Domain(d int) (column, row int) {
	at := int(int64(d) * int64(p.Ranges()) / int64(p.Domains))
	return at % p.Columns, at / p.Columns
}

// Match is the code of a range. Without contrast it has no domain, and number and isometry are 0.
type Match struct {
	Domain   int32
	Isometry uint8
	Contrast int8  // in sixteenths, -15 to 15
	Mean     uint8 // halved
}
