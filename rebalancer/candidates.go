package rebalancer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// candidates returns the managers' list: the best potential of each process that can move, without
// negative potentials, the largest first, ties by pid.
func (t *trial) candidates() (list []*Process) {
	for i := range t.v.Snapshot.Processes {
		p := &t.v.Snapshot.Processes[i]
		if why := whyDropped(t.v, p); why != "" {
			t.stays(p, why)
		} else {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b *Process) int {
		return cmp.Or(cmp.Compare(b.Best.PM(), a.Best.PM()), cmp.Compare(a.Pid, b.Pid))
	})
	return list
}

// potentialStrategy is a strategy that chooses candidates from the list of potentials; a candidate
// moves only if it gains at its destination.
type potentialStrategy struct {
	values map[string]float64
	choose chooser
}

// chooser selects the candidates in a list, and returns the rule that rejects the others.
type chooser func(values map[string]float64, list []*Process) (chosen func(i int) bool, rule string)

// potentialParameters are the parameters of strategies that choose from the list of potentials. The
// papers do not define how many supersteps a potential covers. Some published results were obtained
// without the test of t1 and t2.
var potentialParameters = []Parameter{
	{"viability", 1, 0, 1, "1: a candidate moves only if t1 > t2; 0: always"},
	{"span", 1, 0, 1 << 20, "supersteps with work that a potential, t1 and t2 are for; alpha: all until the next call"},
	{"mig", 0, 0, 1e6, "seconds that a move takes whatever its size, in a potential and in t2"},
}

func potentialDefinition(name, about, source string, choose chooser, own ...Parameter) Definition {
	return Definition{
		Name: name, About: about, Source: source, Parameters: append(own, potentialParameters...),
		New: func(values map[string]float64) Strategy { return potentialStrategy{values, choose} },
	}
}

// Choose: see Strategy.
func (s potentialStrategy) Choose(v View) ([]Move, []Verdict) {
	t := newTrial(v).weighing(newWeighing(s.values))
	list := t.candidates()
	if len(list) == 0 {
		return t.chosen()
	}
	chosen, rule := s.choose(s.values, list)
	for i, p := range list {
		if chosen(i) {
			t.consider(p)
		} else {
			t.stays(p, fmt.Sprintf("PM %.3g s is not chosen: %s", p.Best.PM(), rule))
		}
	}
	return t.chosen()
}

// whyDropped returns the reason why a process is not in the list of potentials, or "" if it is.
func whyDropped(v View, p *Process) string {
	switch {
	case p.Pinned:
		return pinnedRule
	case p.Best.Set < 0 || p.Best.Set >= len(v.Platform.Sets):
		return "there is no other rank"
	case p.Best.PM() >= 0:
		return ""
	case p.Regularity < 0.5 && p.Time > 0:
		return fmt.Sprintf("not regular enough: PM %.3g s", p.Best.PM())
	default:
		return fmt.Sprintf("moving costs more than it brings: PM %.3g s", p.Best.PM())
	}
}

var oneDefinition = potentialDefinition("one", "MigBSP: the process with the largest potential of migration", "jMigBSP dissertation, 5; irregular DP",
	func(map[string]float64, []*Process) (func(i int) bool, string) {
		return func(i int) bool { return i == 0 }, "only the largest is"
	})

var percentDefinition = potentialDefinition("percent", "MigBSP: all processes near the largest potential of migration", "LU on clusters of clusters, 4; irregular DP",
	func(values map[string]float64, list []*Process) (func(i int) bool, string) {
		x := values["x"]
		return func(i int) bool { return list[i].Best.PM() >= x*list[0].Best.PM() }, fmt.Sprintf("it is below %.3g of the largest, %.3g s", x, list[0].Best.PM())
	}, Parameter{"x", 0.8, 0, 1, "part of the largest potential from which on processes are candidates"})

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

var migcubeDefinition = potentialDefinition("migcube", "MigCube: the processes within a cube around the largest potential", "MigCube and MigHull, eq. 3.1 to 3.3, alg. 1",
	func(_ map[string]float64, list []*Process) (func(i int) bool, string) {
		half, center := cubeHalfEdge(list), list[0].Best.Point()
		return func(i int) bool {
			at, furthest := list[i].Best.Point(), 0.0
			for axis := range at {
				furthest = max(furthest, math.Abs(at[axis]-center[axis]))
			}
			return furthest <= half*(1+1e-12) // a point at exactly the mean distance is inside
		}, fmt.Sprintf("it is outside the cube of half edge %.3g s", half)
	})

// cubeHalfEdge returns the mean distance of the other potentials from the largest.
func cubeHalfEdge(list []*Process) float64 {
	if len(list) < 2 {
		return 0
	}
	sum := 0.0
	for _, c := range list[1:] {
		sum += distance(list[0].Best.Point(), c.Best.Point())
	}
	return sum / float64(len(list)-1)
}

var mighullDefinition = potentialDefinition("mighull", "MigHull: the processes near the line between the two largest potentials, seen from three sides", "MigCube and MigHull, eq. 3.4, alg. 2 and 3",
	func(_ map[string]float64, list []*Process) (func(i int) bool, string) {
		deviations := [3]float64{deviation(list, 0), deviation(list, 1), deviation(list, 2)}
		return func(i int) bool {
			return i < 2 || inHull(list, i, deviations, 0, 1) && inHull(list, i, deviations, 0, 2) && inHull(list, i, deviations, 1, 2)
		}, "it is outside the hull of the two largest in one of the planes"
	})

// inHull reports whether the distance of a potential from the segment between the two largest is at
// most the larger of the standard deviations along a plane's two axes.
func inHull(list []*Process, i int, deviations [3]float64, x, y int) bool {
	at, a, b := list[i].Best.Point(), list[0].Best.Point(), list[1].Best.Point()
	return !(segmentDistance(at[x], at[y], a[x], a[y], b[x], b[y]) > max(deviations[x], deviations[y]))
}

func deviation(list []*Process, axis int) float64 {
	mean, sum := 0.0, 0.0
	for _, c := range list {
		mean += c.Best.Point()[axis] / float64(len(list))
	}
	for _, c := range list {
		d := c.Best.Point()[axis] - mean
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(list)))
}

// segmentDistance returns the distance of (x, y) from the segment between two points.
func segmentDistance(x, y, ax, ay, bx, by float64) float64 {
	dx, dy := bx-ax, by-ay
	at := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		at = min(1, max(0, ((x-ax)*dx+(y-ay)*dy)/length))
	}
	return math.Hypot(x-ax-at*dx, y-ay-at*dy)
}
