package rebalancer

import (
	"math"
	"strings"
	"testing"
)

// flat is a superstep where all processes took the same time, uneven a superstep where one took far
// more, and idle a superstep without computation.
var (
	flat   = StepSpread{Steps: 1, Count: 3, Sum: 3, Min: 1, Max: 1}
	uneven = StepSpread{Steps: 1, Count: 3, Sum: 12, Min: 1, Max: 10}
	idle   = StepSpread{Steps: 1}
)

// callsOf returns the supersteps of the calls in a run with the given supersteps, the last of them
// repeated, and without moves.
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
		e.merge(StepSpread{Count: 1, Sum: 0.1, Min: 0.1, Max: 0.1})
	}
	p := pacer{pace: Pace{Alpha: 4}, working: 4, floor: 4, omega: 3}
	if p.observe(e); p.unbalanced {
		t.Error("equal times are not balanced with D 0")
	}
}

// An unexplained delay may be temporary: it is expected to last for a few times its duration so far,
// and to the end only if the next call measures it too. A delay that persists afterwards, or after
// links were measured, is no longer new.
func TestHiccupsAreNotBelievedToGoOn(t *testing.T) {
	const late, horizon = 2, 100
	relink := "link one two latency=0.0001 perbyte=1e-9"
	for _, c := range []struct {
		name  string
		lines []string // before each call
		want  []float64
	}{
		{"a hiccup", []string{"late 0", "late 2", "late 0", "late 0"}, []float64{0, 3 * 2 * late, 0, 0}},
		{"goes on", []string{"late 0", "late 2", "late 2", "late 2"}, []float64{0, 3 * 2 * late, horizon * late, 0}},
		{"links measured", []string{"late 0", "late 2", relink, "late 2"}, []float64{0, 3 * 2 * late, 0, 0}},
		{"hiccups", []string{"late 0", "late 2", "late 0", "late 2"}, []float64{0, 3 * 2 * late, 0, 3 * 2 * late}},
	} {
		s := newStage()
		do := func(line string) {
			words := strings.Fields(line)
			if _, err := s.do(words[0], words[1:]); err != nil {
				t.Fatalf("%s: %s: %v", c.name, line, err)
			}
		}
		for _, line := range []string{"set one", "set two", "rank one", "rank two", relink, "process 0", "process 1", "run auto", relink} {
			do(line)
		}
		for i, line := range c.lines {
			do(line)
			do("observe 2 1 1")
			d, err := s.decide()
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(d.UnexplainedTime-c.want[i]) > 0.01*late {
				t.Errorf("%s, call %d: %g s, want %g", c.name, 1+i, d.UnexplainedTime, c.want[i])
			}
		}
	}
}
