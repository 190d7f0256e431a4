package ledger

import "fmt"

// Saving compares the run with its unmoved shadow, in seconds from the start of the run to
// the end of a superstep. The shadow has the same supersteps with every process where it
// began. A later Saving replaces an earlier one.
type Saving struct {
	Step    int     `json:"step"`    // the superstep
	Unmoved float64 `json:"unmoved"` // the shadow's supersteps
	Seen    float64 `json:"seen"`    // the run's supersteps, without calls and moves
	Error   float64 `json:"error"`   // by which Unmoved may be wrong
}

// Gross returns the saving of the moves, without the costs of calls and moves.
func (s *Saving) Gross() float64 { return s.Unmoved - s.Seen }

func (s *Saving) check() error {
	if s.Step < 0 || !(s.Unmoved >= 0) || !(s.Seen >= 0) || !(s.Error >= 0) {
		return fmt.Errorf("saving: after superstep %d %g s unmoved (error %g s), %g s seen; expected numbers from 0 on", s.Step, s.Unmoved, s.Error, s.Seen)
	}
	return nil
}
