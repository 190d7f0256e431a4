package svg

import "math"

// maxLabels bounds the names in a plot.
const maxLabels = 10

// Labels keeps the names of points apart, and within the plot.
type Labels struct {
	Left, Right, Top, Bottom float64      // of the plot
	taken                    [][3]float64 // middle of a name and half its width
}

// Put writes a name beside a point, on the first side where there is room, and
// not at all if there is none.
func (l *Labels) Put(p *Picture, x, y float64, name string) {
	half := 3.2 * float64(len(name))
	for _, side := range [][2]float64{{8 + half, -8}, {8 + half, 10}, {-8 - half, -8}, {-8 - half, 10}} {
		at := [3]float64{x + side[0], y + side[1], half}
		if l.free(at) {
			l.taken = append(l.taken, at)
			p.Text("note", "middle", at[0], at[1]+4, name)
			return
		}
	}
}

func (l *Labels) free(at [3]float64) bool {
	if len(l.taken) == maxLabels || at[0]-at[2] < l.Left || at[0]+at[2] > l.Right+16 || at[1] < l.Top-6 || at[1]+6 > l.Bottom {
		return false
	}
	for _, other := range l.taken {
		if math.Abs(at[0]-other[0]) < at[2]+other[2]+2 && math.Abs(at[1]-other[1]) < 11 {
			return false
		}
	}
	return true
}
