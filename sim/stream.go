package sim

import (
	"math"
	"slices"
)

// stream carries messages that begin at any time; a network carries the messages of one superstep.
// Both share links by the same rule.
type stream struct {
	routes  routes
	share   sharing
	arrived []func(now float64) // by the number of a flow
	free    []int32             // numbers without a flow
	now     float64
	next    float64 // when the rates change, or a message has arrived
}

func newStream(p *Platform) *stream {
	return &stream{routes: newRoutes(p), share: newSharing(p), next: math.Inf(1)}
}

// enter adds a message to the links of its route, from now on, and calls arrived when it has passed
// them.
func (s *stream) enter(now float64, w *way, bytes float64, arrived func(now float64)) {
	s.pass(now)
	var number int32
	if n := len(s.free); n > 0 {
		number, s.free = s.free[n-1], s.free[:n-1]
	} else {
		number, s.arrived = int32(len(s.arrived)), append(s.arrived, nil)
	}
	s.arrived[number] = arrived
	s.share.active = append(s.share.active, &flow{way: w, many: 1, left: bytes, number: number, end: math.Inf(1)})
	s.divide()
}

// pass advances the time to now, before which no message arrives.
func (s *stream) pass(now float64) {
	for _, f := range s.share.active {
		f.left -= f.rate * (now - s.now)
	}
	s.now = now
}

// divide finds the rates of all messages, and the time of the next event.
func (s *stream) divide() {
	s.next = math.Inf(1)
	if len(s.share.active) == 0 {
		return
	}
	s.share.free = !slices.ContainsFunc(s.share.active, func(f *flow) bool { return !f.way.bundles() })
	s.next = s.share.divide(s.now)
	for _, f := range s.share.active {
		if f.end = math.Inf(1); f.rate > 0 {
			f.end = s.now + max(0, f.left)/f.rate
		}
		s.next = min(s.next, f.end)
	}
}

// step advances to the next event, and delivers messages that have arrived.
func (s *stream) step() {
	until := s.next
	var ended []int32
	kept := s.share.active[:0]
	for _, f := range s.share.active {
		if f.end <= until*(1+1e-15) {
			ended = append(ended, f.number)
			continue
		}
		kept = append(kept, f)
	}
	s.share.active = kept
	s.pass(until)
	s.divide()
	for _, number := range ended {
		arrived := s.arrived[number]
		s.arrived[number] = nil
		s.free = append(s.free, number)
		arrived(until)
	}
}
