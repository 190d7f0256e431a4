package rebalancer

// pacer keeps Pace: calls become rare while the processes are balanced and
// frequent while they are not, and the measure of balance is relaxed when calls
// change nothing.
type pacer struct {
	Pace
	working int // alpha', the next alpha
	floor   int // the first alpha, below which it never falls
	omega   int

	unbalanced bool // the last superstep in which a process computed
}

// paceRounding is the part of a mean that adding up may have cost.
const paceRounding = 1e-9

// observe takes in a superstep. It is balanced if no process that computed was
// slower or faster than the mean by more than D of it. One in which none
// computed changes nothing.
func (p *pacer) observe(e Extent) {
	if e.Count == 0 {
		return
	}
	mean := e.Sum / float64(e.Count)
	rounding := paceRounding * mean
	balanced := e.Max <= mean*(1+p.D)+rounding && e.Min >= mean*(1-p.D)-rounding
	p.unbalanced = !balanced
	steps := max(1, e.Steps)
	if balanced {
		p.working += steps
	} else {
		p.working = max(p.floor, p.working-steps)
	}
}

// called ends a call.
func (p *pacer) called(moved bool) {
	p.Alpha = p.working
	if moved {
		p.Still = 0
		return
	}
	if p.Still++; p.Still >= p.omega {
		p.D *= 1.5
		p.Still = 0
	}
}
