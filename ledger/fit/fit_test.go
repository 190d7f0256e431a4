package fit

import "testing"

// A superstep costs no memory.
func TestFitKeepsLittle(t *testing.T) {
	var c Course
	n := 0
	step := func() {
		n++
		c.Take(1, 2e3, 1, &[Ways]int64{1: int64(n) << (n % 20)})
	}
	for range 1000 {
		step()
	}
	if allocs := testing.AllocsPerRun(1000, step); allocs > 0.1 {
		t.Errorf("%v allocations for a superstep", allocs)
	}
	points, supersteps := c.points()
	if len(points) > 65*octaveSample || supersteps != n {
		t.Errorf("%d points of %d supersteps", len(points), supersteps)
	}
}
