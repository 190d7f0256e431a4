package page

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/ledger"
)

// planes are the three projections of potentials, as pairs of terms.
var planes = [3][2]int{{0, 1}, {0, 2}, {1, 2}}

// terms names the axes of the space of potentials.
var terms = [3]string{"Comp", "Comm", "Mem"}

func place(v *ledger.Verdict) [3]float64 { return [3]float64{v.Comp, v.Comm, v.Mem} }

// region is the region by which a heuristic chose among potentials: the cube of MigCube, or in each
// plane the surroundings of a segment, MigHull.
type region struct {
	cube   bool
	center [3]float64 // the largest potential
	second [3]float64 // and the next, of a hull
	reach  [3]float64 // half the cube's edge; the hull's distance in each plane
}

// heuristic returns the strategy that chooses by a region, "" if the run's does not.
func heuristic(strategy string) string {
	name, _, _ := strings.Cut(strategy, ",")
	if name == "migcube" || name == "mighull" {
		return name
	}
	return ""
}

// candidates returns the verdicts that were in the list of potentials, the largest
// first.
func candidates(verdicts []ledger.Verdict) []ledger.Verdict {
	const pinned = "it is pinned, or its state cannot move"
	var list []ledger.Verdict
	for _, v := range verdicts {
		if v.Set >= 0 && v.PM() >= 0 && v.Rule != pinned {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b ledger.Verdict) int {
		return cmp.Or(cmp.Compare(b.PM(), a.PM()), a.Pid-b.Pid)
	})
	return list
}

// regionOf computes the region that chose among a call's candidates.
func regionOf(name string, list []ledger.Verdict) *region {
	switch {
	case name == "migcube" && len(list) > 0:
		r := &region{cube: true, center: place(&list[0])}
		sum := 0.0
		for i := 1; i < len(list); i++ {
			at := place(&list[i])
			sum += math.Hypot(math.Hypot(at[0]-r.center[0], at[1]-r.center[1]), at[2]-r.center[2])
		}
		half := sum / float64(max(1, len(list)-1))
		r.reach = [3]float64{half, half, half}
		return r
	case name == "mighull" && len(list) > 2:
		r := &region{center: place(&list[0]), second: place(&list[1])}
		for i, plane := range planes {
			r.reach[i] = max(spreadOf(list, plane[0]), spreadOf(list, plane[1]))
		}
		return r
	}
	return nil
}

// spreadOf returns the standard deviation of one of the terms.
func spreadOf(list []ledger.Verdict, term int) float64 {
	mean, sum := 0.0, 0.0
	for i := range list {
		mean += place(&list[i])[term] / float64(len(list))
	}
	for i := range list {
		d := place(&list[i])[term] - mean
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(list)))
}

// has reports whether a potential is inside, with some room for rounding.
func (r *region) has(v *ledger.Verdict, room float64) bool {
	at := place(v)
	for i, plane := range planes {
		x, y := plane[0], plane[1]
		limit := r.reach[i] * (1 + room)
		if r.cube {
			if math.Abs(at[x]-r.center[x]) > limit || math.Abs(at[y]-r.center[y]) > limit {
				return false
			}
			continue
		}
		if fromSegment(at[x], at[y], r.center[x], r.center[y], r.second[x], r.second[y]) > limit {
			return false
		}
	}
	return true
}

// fromSegment returns the distance of (x, y) from the segment between two points.
func fromSegment(x, y, ax, ay, bx, by float64) float64 {
	dx, dy := bx-ax, by-ay
	at := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		at = min(1, max(0, ((x-ax)*dx+(y-ay)*dy)/length))
	}
	return math.Hypot(x-ax-at*dx, y-ay-at*dy)
}

// outline returns the border of the region in a plane, as a list of points.
func (r *region) outline(plane int) [][2]float64 {
	x, y := planes[plane][0], planes[plane][1]
	reach := r.reach[plane]
	if r.cube {
		cx, cy := r.center[x], r.center[y]
		return [][2]float64{{cx - reach, cy - reach}, {cx + reach, cy - reach}, {cx + reach, cy + reach}, {cx - reach, cy + reach}}
	}
	const parts = 16
	angle := math.Atan2(r.second[y]-r.center[y], r.second[x]-r.center[x])
	var border [][2]float64
	for half, end := range [2][3]float64{r.second, r.center} {
		for i := range parts + 1 {
			a := angle + math.Pi*(float64(half)+float64(i)/parts-0.5)
			border = append(border, [2]float64{end[x] + reach*math.Cos(a), end[y] + reach*math.Sin(a)})
		}
	}
	return border
}
