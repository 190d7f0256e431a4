package sim

import (
	"cmp"
	"slices"
)

// laterState is what a move of a process takes along from a superstep on.
type laterState struct {
	step, pid int
	bytes     float64
}

// settle gives supersteps the states that processes have by then. Supersteps between
// which nothing changes share them.
func (t *tableReader) settle() {
	slices.SortStableFunc(t.later, func(a, b laterState) int { return cmp.Compare(a.step, b.step) })
	now, later := t.state, t.later
	for i := range t.steps {
		if len(later) > 0 && later[0].step == i+1 {
			now = slices.Clone(now)
		}
		for ; len(later) > 0 && later[0].step == i+1; later = later[1:] {
			now[later[0].pid] = later[0].bytes
		}
		if len(later) < len(t.later) {
			t.steps[i].State = now
		}
	}
}
