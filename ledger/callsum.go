package ledger

// callSum adds up rescheduling calls. Of those that moved something it keeps as
// many as a reader may want to see.
type callSum struct {
	count, balanced, moving int
	moves                   int
	bytes                   int64
	took, moved             float64
	messages, talk          int64
	judged                  int // calls whose outcome is known
	seen                    int // supersteps in which they were judged
	predicted, realised     float64
	last                    []Call
	lastMoves               map[int][]Move // by call
}

// mostCalls bounds the calls that are kept.
const mostCalls = 1 << 12

func (s *callSum) add(c *Call) {
	s.count++
	if c.Balanced && c.Moved == 0 {
		s.balanced++
	}
	s.took += c.Took
	s.moved += c.Move
	s.messages += c.Messages
	s.talk += c.Talk
	if c.Moved == 0 {
		return
	}
	s.moving++
	s.moves += c.Moved
	s.bytes += c.Bytes
	if len(s.last) == mostCalls {
		delete(s.lastMoves, s.last[0].Number)
		s.last = append(s.last[:0], s.last[1:]...)
	}
	kept := *c
	kept.Verdicts = nil
	s.last = append(s.last, kept)
}

// mostMoves bounds the moves of a call that are named; others are counted.
const mostMoves = 8

func (s *callSum) move(m *Move) {
	if n := len(s.last); n == 0 || s.last[n-1].Number != m.Call || len(s.lastMoves[m.Call]) == mostMoves {
		return
	}
	if s.lastMoves == nil {
		s.lastMoves = make(map[int][]Move)
	}
	s.lastMoves[m.Call] = append(s.lastMoves[m.Call], *m)
}

// outcome enters what a call has brought; a later word on the same call replaces
// an earlier one. Calls that are no longer kept have been judged.
func (s *callSum) outcome(o *Outcome) {
	for i := len(s.last) - 1; i >= 0; i-- {
		c := &s.last[i]
		if c.Number != o.Call {
			continue
		}
		if old := c.Outcome; old != nil {
			s.judged--
			s.seen -= old.Steps
			s.predicted -= old.Predicted
			s.realised -= old.Realised
		}
		kept := *o
		c.Outcome = &kept
		s.judged++
		s.predicted += o.Predicted
		s.realised += o.Realised
		s.seen += o.Steps
		return
	}
}
