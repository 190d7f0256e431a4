package rebalancer

const (
	worthShare  = 0.005  // part of the time to come that a call may take
	idleShare   = 0.02   // more where ranks are idle, the less the more calls have moved nothing
	callWork    = 300e-6 // seconds of work that a call is taken to cost before one was timed
	callProcess = 15e-6  // and for each process
)

// Stake is what a rank knows of a call that may be made now. Times are seconds.
type Stake struct {
	Cost      float64 // that the call is expected to take
	Remaining float64 // that the supersteps to come are
	Idle      float64 // part of the time since the last call in which the rank had nothing to do
	Fruitless int     // calls in a row that moved nothing
}

// Worth tells whether the call takes no more than a small part of the time to come,
// which is larger where the rank is idle.
func (s Stake) Worth() bool {
	return s.Cost <= (worthShare+idleShare*max(0, s.Idle)/float64(1+s.Fruitless*s.Fruitless))*s.Remaining
}

// WorthAtTheEnd tells whether a call that can only judge moves takes no more than a
// small part of the run so far.
func WorthAtTheEnd(cost, run float64) bool { return cost <= 3*worthShare*run }

// FirstCost is what a call of a run with so many processes is expected to take before
// one was timed.
func (p *Platform) FirstCost(processes int) float64 {
	slowest, latency := 1.0, 0.0
	for a, set := range p.Sets {
		slowest = min(slowest, p.Ranks[set.Manager].Speed)
		for _, link := range p.Links[a] {
			latency = max(latency, link.Latency)
		}
	}
	return (callWork+callProcess*float64(processes))/slowest + 3*latency
}
