package main

import (
	"github.com/migbsp/migbsp/apps/fractal/code"
	"github.com/migbsp/migbsp/apps/fractal/match"
)

// reference finds the codes of a picture one after the other, by the errors of all
// domains, isometries and contrasts themselves.
func reference(in *input) [][]code.Match {
	var all [][]code.Match
	for i, pix := range in.planes {
		p := in.header.Plane(i)
		var matches []code.Match
		for at := range p.Ranges() {
			block := make([]uint8, p.Pixels())
			in.cut(i, p, at, block)
			matches = append(matches, bestMatch(p, pix, block))
		}
		all = append(all, matches)
	}
	return all
}

// bestMatch is the match with the least error, the first of several. One that saves
// less than half a level squared for each pixel is none.
func bestMatch(p code.Plane, pix, block []uint8) code.Match {
	n, sum := p.Pixels(), 0
	for _, x := range block {
		sum += int(x)
	}
	best := code.Match{Mean: uint8(min(127, (sum+n)/(2*n)))}
	failure := func(domain, source []int, contrast int) int {
		total := 0
		for _, x := range domain {
			total += x
		}
		e := 0
		for i, x := range block {
			off := 64*(n*int(x)-sum) - contrast*(n*domain[source[i]]-total)
			e += off * off
		}
		return e
	}
	least := failure(make([]int, n), match.Isometry(p.Block, 0), 0) - 4096*n*n*n/2
	found := false
	for d := range p.Domains {
		domain := domainAt(p, pix, d)
		for k := range match.Isometries {
			source := match.Isometry(p.Block, k)
			for size := 1; size <= match.MaxContrast; size++ {
				for _, contrast := range []int{size, -size} {
					if e := failure(domain, source, contrast); e < least || !found && e == least {
						least, found = e, true
						best.Domain, best.Isometry, best.Contrast = int32(d), uint8(k), int8(contrast)
					}
				}
			}
		}
	}
	return best
}

// domainAt are the sums of four pixels of a domain; beyond the plane's edge it goes on
// at the other.
func domainAt(p code.Plane, pix []uint8, d int) []int {
	at := d * p.Ranges() / p.Domains
	width, height := p.Columns*p.Block, p.Rows*p.Block
	sums := make([]int, p.Pixels())
	for y := range 2 * p.Block {
		for x := range 2 * p.Block {
			row, column := (at/p.Columns*p.Block+y)%height, (at%p.Columns*p.Block+x)%width
			sums[y/2*p.Block+x/2] += int(pix[row*width+column])
		}
	}
	return sums
}
