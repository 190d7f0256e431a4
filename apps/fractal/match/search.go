package match

import "math"

// Search compares ranges with domains. It belongs to the ranges it was made for and can be
// made again at any time.
type Search struct {
	ranges *Ranges
	pixels int

	blocks []int16 // less the rounded mean, in all isometries: pairs of pixels of all lie next to each other
	rest   []int32 // sum of a block's pixels less the rounded mean
	limits []limit // an even number
	hits   []uint32
}

// limit is the smallest inner product of a block and a domain that gains as much as the best so far:
// slope times the root of the domain's variance, and floor. Rounding makes both slightly too small.
type limit struct{ slope, floor float32 }

// nothing is a floor above all inner products.
const nothing = 1e18

// Search makes ranges ready to be compared.
func (r *Ranges) Search() *Search {
	n, room := r.Side*r.Side, (len(r.Best)+1)/2*2
	s := &Search{
		ranges: r, pixels: n,
		blocks: make([]int16, room*Isometries*n), rest: make([]int32, room),
		limits: make([]limit, room), hits: make([]uint32, room),
	}
	target, centered := targets(r.Side), make([]int16, n)
	for i := range r.Best {
		s.rest[i], _ = center(r.Block(i), centered)
		block := s.block(i)
		for at, x := range centered {
			for k := range target {
				block[target[k][at]] = x
			}
		}
		s.limit(i)
	}
	if len(r.Best) < room {
		s.limits[room-1].floor = nothing
	}
	return s
}

// targets returns, for each isometry, the positions of a block's pixels in blocks: next to the
// domain's pixels that map to them.
func targets(side int) (to [Isometries][]int) {
	for k := range to {
		to[k] = make([]int, side*side)
		for at, from := range Isometry(side, k) {
			to[k][at] = from/2*2*Isometries + 2*k + from%2
		}
	}
	return to
}

func (s *Search) block(i int) []int16 {
	size := Isometries * s.pixels
	return s.blocks[i*size:][:size]
}

// limit updates the limit of a block.
func (s *Search) limit(i int) {
	gain := float64(max(s.ranges.Best[i].Gain, least(s.pixels))) / (4096 * float64(s.pixels))
	const less = 1 - 1e-5
	s.limits[i] = limit{slope: float32(less * math.Sqrt(gain)), floor: float32(less * gain * 64 / (2 * MaxContrast))}
}

// tileBytes is the size of the blocks that are compared with all domains before the next tile. It
// fits into the L2 cache.
const tileBytes = 128 << 10

// Compare compares all blocks with domains and keeps the best. The first domain has the given number.
// sums contains a sum of four pixels for each pixel of a block.
func (s *Search) Compare(first int, sums []uint16) {
	d := newDomains(s.pixels, first, sums)
	tile := max(2, tileBytes/(2*Isometries*s.pixels))
	for from := 0; from < len(s.limits); from += tile {
		to := min(len(s.limits), from+tile)
		for group := 0; group < d.count; group += lanes {
			s.compare(from, to, d, group)
		}
	}
}

// compare finds for which blocks four domains may be better than the best so far, and tries
// them.
func (s *Search) compare(from, to int, d *domains, group int) {
	hits, blocks := s.hits[from:to], s.blocks[from*Isometries*s.pixels:to*Isometries*s.pixels]
	screen(s.pixels, d.group(group), (*[lanes]float32)(d.root[group:]), blocks, s.limits[from:to], hits)
	for i, hit := range hits {
		if hit == 0 {
			continue
		}
		for q := group; hit != 0; q, hit = q+1, hit>>8 {
			if byte(hit) != 0 && q < d.count && d.variance[q] > 0 {
				s.try(from+i, d, q, byte(hit))
			}
		}
		s.limit(from + i)
	}
}

// try compares a block with the isometries of a domain that a mask has.
func (s *Search) try(i int, d *domains, q int, isometries byte) {
	n, best := int64(s.pixels), &s.ranges.Best[i]
	var inner [Isometries]int32
	products(s.pixels, d.group(q)[2*(q%lanes):], s.block(i), &inner)
	for k, x := range inner {
		if isometries>>k&1 == 0 {
			continue
		}
		covariance := n*int64(x) - int64(s.rest[i])*int64(d.rest[q])
		level, gain := contrast(covariance, d.variance[q])
		x := Best{Gain: gain, Domain: int32(d.first + q), Isometry: uint8(k), Contrast: level}
		if gain >= least(s.pixels) && x.better(*best) {
			*best = x
		}
	}
}
