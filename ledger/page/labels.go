package page

import "math"

// maxLabels bounds the names in a plot.
const maxLabels = 10

// labels keeps the names of points apart, and within the plot.
type labels struct {
	left, right, top, bottom float64
	taken                    [][3]float64 // middle of a name and half its width
}

// put writes a name beside a point, on the first side where there is room, and
// not at all if there is none.
func (l *labels) put(s *svg, x, y float64, name string) {
	half := 3.2 * float64(len(name))
	for _, side := range [][2]float64{{8 + half, -8}, {8 + half, 10}, {-8 - half, -8}, {-8 - half, 10}} {
		at := [3]float64{x + side[0], y + side[1], half}
		if l.free(at) {
			l.taken = append(l.taken, at)
			s.text("note", "middle", at[0], at[1]+4, name)
			return
		}
	}
}

func (l *labels) free(at [3]float64) bool {
	if len(l.taken) == maxLabels || at[0]-at[2] < l.left || at[0]+at[2] > l.right+16 || at[1] < l.top-6 || at[1]+6 > l.bottom {
		return false
	}
	for _, other := range l.taken {
		if math.Abs(at[0]-other[0]) < at[2]+other[2]+2 && math.Abs(at[1]-other[1]) < 11 {
			return false
		}
	}
	return true
}
