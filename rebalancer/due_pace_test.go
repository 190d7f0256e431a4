package rebalancer

import (
	"testing"
)

// flat is a superstep in which all processes took the same time, uneven one in
// which one took far more, and idle one in which none computed.
var (
	flat   = StepSpread{Steps: 1, Count: 3, Sum: 3, Min: 1, Max: 1}
	uneven = StepSpread{Steps: 1, Count: 3, Sum: 12, Min: 1, Max: 10}
	idle   = StepSpread{Steps: 1}
)

// callsOf is after which supersteps calls are when supersteps are as given, the
// last of them again and again, and no call moves anything.
func callsOf(alpha, calls int, steps ...StepSpread) []int {
	p := pacer{pace: Pace{Alpha: alpha, D: 0.5}, working: alpha, floor: alpha, omega: 3}
	var list []int
	for step, next := 1, alpha; len(list) < calls; step++ {
		p.observe(steps[min(step, len(steps))-1])
		if step == next {
			p.called(true)
			list = append(list, step)
			next = step + p.pace.Alpha
			p.working = p.pace.Alpha
		}
	}
	return list
}

func TestPaceCountsExtentsOftenEnough(t *testing.T) {
	for _, c := range []struct {
		e    StepSpread
		want int
	}{{flat, 9}, {uneven, 4}, {idle, 4}} {
		p := pacer{pace: Pace{Alpha: 4, D: 0.5}, working: 4, floor: 4, omega: 3}
		c.e.Steps = 5
		p.observe(c.e)
		if p.working != c.want {
			t.Errorf("%+v: alpha' %d, want %d", c.e, p.working, c.want)
		}
	}
}

// Only as many calls in a row as omega that move nothing relax D.
func TestPaceRelaxes(t *testing.T) {
	p := pacer{pace: Pace{Alpha: 4, D: 0.5}, working: 4, floor: 4, omega: 3}
	want := []float64{0.5, 0.5, 0.75, 0.75, 0.75, 1.125}
	for i, d := range want {
		if p.called(false); p.pace.D != d {
			t.Errorf("after %d calls D is %g, want %g", i+1, p.pace.D, d)
		}
	}
	p = pacer{pace: Pace{Alpha: 4, D: 0.5}, working: 4, floor: 4, omega: 3}
	for i := range 9 {
		if p.called(i%3 == 2); p.pace.D != 0.5 {
			t.Errorf("D is %g though a call moved something", p.pace.D)
		}
	}
}

func TestPaceAllowsForRounding(t *testing.T) {
	e := StepSpread{Steps: 1}
	for range 3 {
		e.include(0.1)
	}
	p := pacer{pace: Pace{Alpha: 4}, working: 4, floor: 4, omega: 3}
	if p.observe(e); p.unbalanced {
		t.Error("equal times are not balanced with D 0")
	}
}
