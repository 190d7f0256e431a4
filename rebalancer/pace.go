package rebalancer

// pacer keeps Pace: calls become rare while the processes are balanced and
// frequent while they are not, and the measure of balance is relaxed when calls
// change nothing.
type pacer struct {
	Pace
	working int // alpha', the next alpha
	floor   int // the first alpha, below which it never falls
	omega   int
}

// observe takes in a superstep and tells whether it was balanced: no process
// that computed was slower or faster than the mean by more than D of it. One in
// which none computed changes nothing.
func (p *pacer) observe(e Extent) bool {
	if e.Count == 0 {
		return true
	}
	mean := e.Sum / float64(e.Count)
	balanced := e.Max <= mean*(1+p.D) && e.Min >= mean*(1-p.D)
	steps := max(1, e.Steps)
	if balanced {
		p.working += steps
	} else {
		p.working = max(p.floor, p.working-steps)
	}
	return balanced
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
