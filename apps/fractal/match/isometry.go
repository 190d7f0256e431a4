package match

// Isometries is the number of ways to turn and mirror a square.
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
