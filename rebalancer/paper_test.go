package rebalancer

import (
	"math"
	"slices"
	"testing"
)

// "Applying Processes Rescheduling over Irregular BSP Application", section 4:
// with 10^6 instructions in the first superstep and 565*10^5 in the second, the
// prediction for the second is 287*10^5, and delta 0.5 makes that regular.
func TestPaperAging(t *testing.T) {
	var h History
	h.compute(0, 1e6, 1, 0.5, 0.25, 8)
	h.compute(0, 565e5, 56, 0.5, 0.25, 8)
	if math.Abs(h.work()-2875e4) > 1 || h.Regularity != 0.5 {
		t.Errorf("PI %g, Pcomp %g; want 2.875e7 and 0.5", h.work(), h.Regularity)
	}
	strict := new(History)
	strict.compute(0, 1e6, 1, 0.01, 0.25, 8)
	strict.compute(0, 565e5, 56, 0.01, 0.25, 8)
	if strict.Regularity != 0 {
		t.Errorf("Pcomp %g with delta 0.01; want 0", strict.Regularity)
	}
	h.restart()
	if h.compute(0, 4e6, 4, 0.5, 0.25, 8); h.work() != 4e6 || h.Regularity != 0.75 {
		t.Errorf("after a call PI is %g and Pcomp %g; want 4e6 and 0.75", h.work(), h.Regularity)
	}
}

// The same, Algorithm 1: Pcomp stays within 0 and 1.
func TestPaperRegularityIsBounded(t *testing.T) {
	up, down := 0.0, 1.0
	for range 10 {
		up, down = regular(up, 1, 1, 0.5, 0.25), regular(down, 9, 1, 0.5, 0.25)
	}
	if up != 1 || down != 0 {
		t.Errorf("%g and %g; want 1 and 0", up, down)
	}
}

// Calls while no process moves. "Irregular BSP Application", section 5: balanced processes are
// rescheduled after supersteps 2, 6 and 14 with alpha 2, and after 4 and 12 with alpha 4. "LU
// decomposition", section 6: n 1000 and p 25, calls 4 and 11, because the first of the 2n+1
// supersteps has no computation (table 1). The same, p 50: the text has no times, but states that
// the processes stay unbalanced. These are calls 4, 9, 15, 21, 27 for alternating supersteps, and
// 4 and 9 of n 2000.
func TestPaperCalls(t *testing.T) {
	turns := []StepSpread{idle, flat, uneven, flat, flat, uneven, flat, uneven, flat}
	for range 10 {
		turns = append(turns, uneven, flat)
	}
	for _, c := range []struct {
		alpha int
		steps []StepSpread
		want  []int
	}{
		{2, []StepSpread{flat}, []int{2, 6, 14, 30, 62, 126, 254}},
		{4, []StepSpread{flat}, []int{4, 12, 28}},
		{8, []StepSpread{flat}, []int{8, 24, 56}},
		{16, []StepSpread{flat}, []int{16, 48, 112}},
		{4, []StepSpread{idle, flat}, []int{4, 11}},
		{4, turns, []int{4, 9, 15, 21, 27}},
		{4, []StepSpread{uneven}, []int{4, 8, 12, 16, 20}}, // alpha never falls below the first one
		{4, []StepSpread{idle}, []int{4, 8, 12, 16}},
	} {
		if got := callsOf(c.alpha, len(c.want), c.steps...); !slices.Equal(got, c.want) {
			t.Errorf("alpha %d, supersteps %v: calls %v, want %v", c.alpha, c.steps, got, c.want)
		}
	}
}
