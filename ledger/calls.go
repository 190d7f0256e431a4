package ledger

import "math"

// Calls adds up the rescheduling calls of a run.
type Calls struct {
	Calls      int     `json:"calls"`
	Balanced   int     `json:"balanced"` // without moves because all ranks were balanced
	Moving     int     `json:"moving"`
	Moves      int     `json:"moves"`
	Bytes      int64   `json:"bytes"`
	DecideTime float64 `json:"decide_time"`
	MoveTime   float64 `json:"move_time"`
	Messages   int64   `json:"messages"`
	Talk       int64   `json:"talk_bytes"`
	Judged     int     `json:"judged"` // whose outcome is known
	Predicted  float64 `json:"predicted"`
	Realised   float64 `json:"realised"`

	Seen                 int     `json:"-"` // supersteps used to judge them
	Told, ByTold         int     `json:"-"` // could compare the program's predictions with the past; used them
	ToldError, PastError float64 `json:"-"` // sums over the first
	Why                  string  `json:"-"` // reason why a call moved no process: the last call with a possible gain, else the last call
	Last                 []Call  `json:"-"` // the last calls with moves, without verdicts

	gain          bool    // the call of Why had something to gain
	saving, since Saving  // up to now; up to the last call with moves
	rate          float64 // seconds that were saved in a superstep before that call
	before        float64 // seconds saved by all earlier calls
}

// mostCalls bounds the calls that are kept.
const mostCalls = 1 << 12

func (s *Calls) add(c *Call) {
	s.Calls++
	if c.Balanced && c.Moved == 0 {
		s.Balanced++
	}
	if c.PastError > 0 || c.ToldError > 0 {
		s.Told++
		s.ToldError += c.ToldError
		s.PastError += c.PastError
		if c.ByTold {
			s.ByTold++
		}
	}
	s.DecideTime += c.Took
	s.MoveTime += c.Move
	s.Messages += c.Messages
	s.Talk += c.Talk
	if gain := c.Forecast > 0; c.Kept != "" && (gain || !s.gain) {
		s.Why, s.gain = c.Kept, gain
	}
	if c.Moved == 0 {
		return
	}
	last := s.lastBrought()
	s.rate = Share(last.Realised, float64(last.Steps))
	s.before += last.Realised
	s.since = s.saving
	s.Moving++
	s.Moves += c.Moved
	s.Bytes += c.Bytes
	if len(s.Last) == mostCalls {
		s.Last = append(s.Last[:0], s.Last[1:]...)
	}
	kept := *c
	kept.Verdicts, kept.Moves = nil, nil
	s.Last = append(s.Last, kept)
}

// brought returns the saving of all calls, in seconds.
func (s *Calls) brought() float64 { return s.before + s.lastBrought().Realised }

// lastBrought returns the saving of the last call with moves.
func (s *Calls) lastBrought() (b Brought) {
	if n := len(s.Last); n > 0 && s.Last[n-1].Brought != nil {
		b = *s.Last[n-1].Brought
	}
	return b
}

// compare updates the saving of the last call with moves.
func (s *Calls) compare(now *Saving) {
	s.saving = *now
	if len(s.Last) == 0 {
		return
	}
	c := &s.Last[len(s.Last)-1]
	b := &Brought{Steps: max(0, now.Step-c.Step), Realised: now.Gross() - s.since.Gross(), Error: math.Sqrt(max(0, now.Error*now.Error-s.since.Error*s.since.Error))}
	b.Predicted = s.rate * float64(b.Steps)
	if c.Horizon > 0 {
		b.Predicted += c.Forecast / float64(c.Horizon) * float64(b.Steps)
	}
	c.Brought = b
}

// mostMoves bounds the moves of a call that are named; others are counted.
const mostMoves = 8

func (s *Calls) move(m *Move) {
	if n := len(s.Last); n > 0 && s.Last[n-1].Number == m.Call && len(s.Last[n-1].Moves) < mostMoves {
		s.Last[n-1].Moves = append(s.Last[n-1].Moves, *m)
	}
}

// outcome enters the outcome of a call; a later one of the same call replaces an earlier
// one. Calls that are no longer kept have been judged.
func (s *Calls) outcome(o *Outcome) {
	for i := len(s.Last) - 1; i >= 0; i-- {
		c := &s.Last[i]
		if c.Number != o.Call {
			continue
		}
		if old := c.Outcome; old != nil {
			s.Judged--
			s.Seen -= old.Steps
			s.Predicted -= old.Predicted
			s.Realised -= old.Realised
		}
		kept := *o
		c.Outcome = &kept
		s.Judged++
		s.Predicted += o.Predicted
		s.Realised += o.Realised
		s.Seen += o.Steps
		return
	}
}
