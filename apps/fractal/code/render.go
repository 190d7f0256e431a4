package code

import (
	"math/bits"

	"github.com/migbsp/migbsp/apps/fractal/match"
)

// MaxRounds is the maximum number of times that codes are applied.
const MaxRounds = 100

const (
	level = 256 // value of a grey level in the numbers that codes are applied to
	calm  = 4   // largest change of a number in the last round
)

// Render applies a plane's codes, first to a picture of whole blocks, which it changes,
// then to the result: rounds times or, if that is 0, until hardly any pixel changes, at
// most MaxRounds times. It returns the number of rounds. The result is the same on any
// machine.
func (p Plane) Render(matches []Match, pix []uint8, rounds int) int {
	r := newRendering(p, pix)
	limit := MaxRounds
	if rounds > 0 {
		limit = rounds
	}
	done := 0
	for done < limit {
		done++
		if r.apply(matches) <= calm && rounds == 0 {
			break
		}
	}
	for i, x := range r.now {
		pix[i] = uint8(min(255, (x+level/2)/level))
	}
	return done
}

// rendering is a plane to which codes are applied.
type rendering struct {
	plane     Plane
	now, next []int32 // pixels
	width     int
	source    [match.Isometries][]int
	domain    []int32 // the domain at hand, shrunk
}

func newRendering(p Plane, pix []uint8) *rendering {
	r := &rendering{plane: p, now: make([]int32, len(pix)), next: make([]int32, len(pix)), width: p.Columns * p.Block, domain: make([]int32, p.Pixels())}
	for i, x := range pix {
		r.now[i] = int32(x) * level
	}
	for k := range r.source {
		r.source[k] = match.Isometry(p.Block, k)
	}
	return r
}

// apply applies the codes once and returns the largest change of a pixel.
func (r *rendering) apply(matches []Match) int32 {
	for i, m := range matches {
		block := r.next[i/r.plane.Columns*r.plane.Block*r.width+i%r.plane.Columns*r.plane.Block:]
		if m.Contrast == 0 {
			r.fill(block, 2*int32(m.Mean)*level)
		} else {
			r.place(block, m)
		}
	}
	most := int32(0)
	for i, x := range r.next {
		most = max(most, x-r.now[i], r.now[i]-x)
	}
	r.now, r.next = r.next, r.now
	return most
}

func (r *rendering) fill(block []int32, value int32) {
	for y := range r.plane.Block {
		line := block[y*r.width:][:r.plane.Block]
		for x := range line {
			line[x] = value
		}
	}
}

// place writes mean + contrast/64 (domain - its mean); a domain's pixel is the sum of four.
func (r *rendering) place(block []int32, m Match) {
	sum := int64(r.shrink(int(m.Domain)))
	n := int64(r.plane.Pixels())
	shift := 6 + bits.Len64(uint64(n)) - 1
	half, mean := int64(1)<<(shift-1), 2*int64(m.Mean)*level
	source := r.source[m.Isometry]
	for y := range r.plane.Block {
		line := block[y*r.width:][:r.plane.Block]
		for x := range line {
			off := int64(m.Contrast) * (n*int64(r.domain[source[y*r.plane.Block+x]]) - sum)
			line[x] = int32(max(0, min(255*level, mean+(off+half)>>shift)))
		}
	}
}

// shrink makes a domain ready and returns the sum of its pixels.
func (r *rendering) shrink(d int) int32 {
	shrink(r.plane, d, r.now, r.domain)
	sum := int32(0)
	for _, x := range r.domain {
		sum += x
	}
	return sum
}
