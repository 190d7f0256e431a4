package match

import "math"

// lanes is the number of domains compared at once.
const lanes = 4

// domains is domains prepared for comparisons.
type domains struct {
	pixels int
	first  int // number of the first domain
	count  int

	pix      []int16   // less the rounded mean; of four domains, pairs of pixels lie next to each other
	rest     []int32   // sum of a domain's pix
	variance []int64   // times the pixels
	root     []float32 // of the variance; 0 for no comparison
}

func newDomains(pixels, first int, sums []uint16) *domains {
	count := len(sums) / pixels
	room := (count + lanes - 1) / lanes * lanes
	d := &domains{
		pixels: pixels, first: first, count: count,
		pix: make([]int16, room*pixels), rest: make([]int32, count), variance: make([]int64, count), root: make([]float32, room),
	}
	centered := make([]int16, pixels)
	for i := range count {
		d.set(i, sums[i*pixels:][:pixels], centered)
	}
	return d
}

func (d *domains) set(i int, sums []uint16, centered []int16) {
	n := int64(d.pixels)
	rest, squares := center(sums, centered)
	d.rest[i], d.variance[i] = rest, n*squares-int64(rest)*int64(rest)
	d.root[i] = float32(math.Sqrt(float64(d.variance[i]) / float64(n)))
	pix := d.group(i)[2*(i%lanes):]
	for at := 0; at < len(centered); at += 2 {
		pix[at*lanes], pix[at*lanes+1] = centered[at], centered[at+1]
	}
}

// group returns the pixels of the four domains that include i.
func (d *domains) group(i int) []int16 {
	size := lanes * d.pixels
	return d.pix[i/lanes*size:][:size]
}

// Isometries is the number of rotations and reflections of a square.
const Isometries = 8

// Isometry returns for each pixel of a block of the given side which pixel of the
// domain comes there. Isometry k turns by k mod 4 right angles; from 4 on the domain
// is mirrored first.
func Isometry(side, k int) []int {
	source := make([]int, side*side)
	last := side - 1
	for i := range source {
		x, y := i%side, i/side
		for range k % 4 {
			x, y = y, last-x
		}
		if k >= 4 {
			x = last - x
		}
		source[i] = y*side + x
	}
	return source
}
