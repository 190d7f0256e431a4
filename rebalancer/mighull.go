package rebalancer

import "math"

var mighullDefinition = potentialDefinition("mighull", "MigHull: the processes near the line between the two largest potentials, seen from three sides", "MigCube and MigHull, eq. 3.4, alg. 2 and 3",
	func(_ map[string]float64, list []candidate) ([]bool, string) {
		chosen := make([]bool, len(list))
		for i := range list {
			chosen[i] = true
		}
		for _, plane := range [3][2]int{{0, 1}, {0, 2}, {1, 2}} {
			hullPlane(list, plane[0], plane[1], chosen)
		}
		chosen[0] = true
		if len(list) > 1 {
			chosen[1] = true
		}
		return chosen, "it is outside the hull of the two largest in one of the planes"
	})

// hullPlane drops those that are further from the segment of the two largest
// than the larger of the standard deviations along the plane's two axes.
func hullPlane(list []candidate, x, y int, chosen []bool) {
	if len(list) < 3 {
		return
	}
	limit := max(deviation(list, x), deviation(list, y))
	a, b := list[0].p.Best.point(), list[1].p.Best.point()
	for i, c := range list {
		at := c.p.Best.point()
		if segmentDistance(at[x], at[y], a[x], a[y], b[x], b[y]) > limit {
			chosen[i] = false
		}
	}
}

func deviation(list []candidate, axis int) float64 {
	mean, sum := 0.0, 0.0
	for _, c := range list {
		mean += c.p.Best.point()[axis] / float64(len(list))
	}
	for _, c := range list {
		d := c.p.Best.point()[axis] - mean
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(list)))
}

// segmentDistance is how far (x, y) is from the segment between two points.
func segmentDistance(x, y, ax, ay, bx, by float64) float64 {
	dx, dy := bx-ax, by-ay
	at := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		at = min(1, max(0, ((x-ax)*dx+(y-ay)*dy)/length))
	}
	return math.Hypot(x-ax-at*dx, y-ay-at*dy)
}
