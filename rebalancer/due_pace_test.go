package rebalancer

import "testing"

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
