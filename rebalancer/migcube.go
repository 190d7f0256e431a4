package rebalancer

import (
	"fmt"
	"math"
)

// point is a potential as a place in space.
func (p Potential) point() [3]float64 { return [3]float64{p.Comp, p.Comm, p.Mem} }

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

var migcubeDefinition = potentialDefinition("migcube", "MigCube: the processes within a cube around the largest potential", "MigCube and MigHull, eq. 3.1 to 3.3, alg. 1",
	func(_ map[string]float64, list []candidate) ([]bool, string) {
		half := cubeHalfEdge(list)
		center := list[0].p.Best.point()
		chosen := make([]bool, len(list))
		for i, c := range list {
			at := c.p.Best.point()
			inside := true
			for axis := range at {
				inside = inside && math.Abs(at[axis]-center[axis]) <= half*(1+cubeRounding)
			}
			chosen[i] = inside
		}
		return chosen, fmt.Sprintf("it is outside the cube of half edge %.3g s", half)
	})

// cubeRounding keeps points at the very mean distance inside.
const cubeRounding = 1e-12

// cubeHalfEdge is the mean distance of the other potentials from the largest.
func cubeHalfEdge(list []candidate) float64 {
	if len(list) < 2 {
		return 0
	}
	sum := 0.0
	for _, c := range list[1:] {
		sum += distance(list[0].p.Best.point(), c.p.Best.point())
	}
	return sum / float64(len(list)-1)
}
