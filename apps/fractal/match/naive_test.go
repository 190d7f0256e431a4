package match

import "math/rand/v2"

// naive finds the best domain of a block by the errors themselves, tried one after
// the other: of all domains, isometries and contrasts the first with the least error,
// or none if that saves less than half a level squared for each pixel.
func naive(side int, pix []uint8, sums []uint16) Best {
	n := side * side
	sum := 0
	for _, x := range pix {
		sum += int(x)
	}
	failure := func(domain []uint16, source []int, a int) int64 {
		total := 0
		for _, x := range domain {
			total += int(x)
		}
		e := int64(0)
		for i, x := range pix {
			off := 64*(n*int(x)-sum) - a*(n*int(domain[source[i]])-total)
			e += int64(off) * int64(off)
		}
		return e
	}
	none := failure(sums[:n], Isometry(side, 0), 0)
	var best Best
	least := none
	for d := range len(sums) / n {
		domain := sums[d*n:][:n]
		for k := range Isometries {
			source := Isometry(side, k)
			for a := 1; a <= MaxContrast; a++ {
				for _, a := range []int{a, -a} {
					if e := failure(domain, source, a); e < least {
						least = e
						best = Best{Gain: (none - e) / int64(n), Domain: int32(d), Isometry: uint8(k), Contrast: int8(a)}
					}
				}
			}
		}
	}
	if best.Gain < 2048*int64(n*n) {
		return Best{}
	}
	return best
}

// rangeBlock returns a block of the given kind: flat, noisy, smooth, with edges, or like another one.
func rangeBlock(r *rand.Rand, side, kind int) []uint8 {
	pix := make([]uint8, side*side)
	level, slope := r.IntN(200), r.IntN(20)
	for i := range pix {
		x, y := i%side, i/side
		switch kind % 5 {
		case 0:
			pix[i] = uint8(level)
		case 1:
			pix[i] = uint8(r.IntN(256))
		case 2:
			pix[i] = uint8(min(255, level+slope*x/2+y))
		case 3:
			if x > y {
				pix[i] = 255
			}
		default:
			pix[i] = uint8(level + r.IntN(3))
		}
	}
	return pix
}

// domainBlock is four times as large in its values.
func domainBlock(r *rand.Rand, side, kind int) []uint16 {
	var sums []uint16
	for _, x := range rangeBlock(r, side, kind) {
		sums = append(sums, 4*uint16(x)+uint16(r.IntN(1+kind%2)))
	}
	return sums
}
