package rebalancer

import "math"

const (
	// slowFactor is the multiple of the usual duration above which a stage does not update the usual
	// duration. foretoldFactor is the multiple of the prediction up to which a stage counts as
	// predicted.
	slowFactor     = 1.5
	foretoldFactor = 1.2
	// hiccup limits the weight of the longest of several long stages, as a multiple of the mean of the
	// others.
	hiccup = 4
	// slowStages is the number of consecutive long stages before a call after which the usual duration is
	// reset. That is a mean over usualStages, valid after calmStages.
	slowStages  = 3
	calmStages  = 4
	usualStages = 16
)

// slowdown detects stages that have become much longer than earlier ones, because a rank
// lost its processor to other programs or a link became slow. It triggers a call
// before the next one is due. One or two long stages may be
// noise; slowly growing work raises the usual duration, and is left to
// the pace.
type slowdown struct {
	usual []usual // by kind of stage

	ended  float64 // when the last stage observed did
	stages int     // ended since

	foretold float64 // seconds of a stage, as the last call predicts; 0 if it does not

	excess  float64 // seconds that the last long stages in a row took more than usual
	longest float64 // the largest contribution of one stage to it
	long    int     // how many these are

	mean  float64 // seconds of a stage before the last call, 0 if it moved something or these were unlike each other
	owed  float64 // seconds that stages since took beyond slowFactor times that, less what others were shorter by
	owing int     // how many stages these are

	since float64 // when the first of the slow or long ones had ended
	steps int     // observations before

	settled float64 // when the first stage since the last call had
	early   int     // observations until then, 0 before
}

// usual is how long stages of a kind take, of late.
type usual struct {
	seconds float64
	spread  float64 // mean distance from that
	seen    int     // stages that this comes from, at most usualStages
}

// observe takes in an observed stage of some kind that has ended, after so many
// observations since the call at mark, and reports whether it is the first slow or long one.
func (s *slowdown) observe(now, mark float64, kind, steps int) bool {
	length := (now - max(s.ended, mark)) / float64(s.stages)
	s.ended, s.stages = now, 0
	for kind >= len(s.usual) {
		s.usual = append(s.usual, usual{})
	}
	if s.early == 0 {
		s.settled, s.early = now, steps
	}
	s.owe(length)
	before := s.long > 0
	s.accumulate(length, &s.usual[kind])
	first := s.long > 0 && !before
	if first {
		s.since, s.steps = now, steps
	}
	if u := &s.usual[kind]; u.seen < calmStages || length < slowFactor*u.seconds {
		u.seen = min(u.seen+1, usualStages)
		u.spread += (math.Abs(length-u.seconds) - u.spread) / float64(u.seen)
		u.seconds += (length - u.seconds) / float64(u.seen)
	}
	return first
}

// owe adds the time of a stage beyond slowFactor times the mean before the last call, or subtracts
// the time below it.
func (s *slowdown) owe(length float64) {
	if s.owed = max(0, s.owed+length-slowFactor*s.mean); s.mean == 0 || s.owed == 0 {
		s.owed, s.owing = 0, 0
		return
	}
	s.owing++
}

// accumulate adds the time of a stage beyond the usual duration and its spread, and restarts
// after a stage without such an excess (Page's test, CUSUM).
func (s *slowdown) accumulate(length float64, u *usual) {
	limit := math.Inf(1)
	if u.seen >= calmStages {
		limit = u.seconds + 2*u.spread
	}
	if s.foretold > 0 {
		limit = min(limit, foretoldFactor*s.foretold)
	}
	if length <= limit {
		s.excess, s.longest, s.long = 0, 0, 0
	} else {
		s.excess += length - limit
		s.longest = max(s.longest, length-limit)
		s.long++
	}
}

// lasting returns the excess, with the longest stage limited to hiccup times the mean of
// the others. It is 0 for a single stage.
func (s *slowdown) lasting() float64 {
	rest := s.excess - s.longest
	return rest + min(s.longest, hiccup*rest/float64(max(1, s.long-1)))
}

// called returns the state after a call. mean is the mean duration of a stage before it,
// and foretold the predicted duration. The usual durations are reset if processes have
// moved or stages were slow.
func (s *slowdown) called(moved bool, mean, foretold float64) *slowdown {
	after := &slowdown{mean: mean, foretold: foretold}
	switch {
	case moved:
		after.mean = 0
	case s.owing > 0:
		after.mean = slowFactor*s.mean + s.owed/float64(s.owing) // of the stages that owe it
	case s.long >= slowStages:
		after.mean = 0
	}
	if !moved && s.long < slowStages {
		after.usual = s.usual
	}
	return after
}

// pause leaves seconds out that were spent on something else.
func (s *slowdown) pause(seconds float64) {
	s.ended, s.settled, s.since = s.ended+seconds, s.settled+seconds, s.since+seconds
}

// restart begins the time to the next call; slow stages before it may still lead to an
// alarm.
func (s *slowdown) restart(now float64) { s.stages, s.since, s.steps, s.early = 0, now, 0, 0 }
