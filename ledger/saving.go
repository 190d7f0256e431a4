package ledger

import "fmt"

// Saving compares the run with its unmoved shadow, in seconds from the start of the run to
// the end of a superstep: what these supersteps would have taken with every process where it
// began. A later one replaces an earlier one.
type Saving struct {
	Step    int     `json:"step"`    // the superstep
	Unmoved float64 `json:"unmoved"` // the shadow's supersteps
	Seen    float64 `json:"seen"`    // the run's supersteps, without calls and moves
	Error   float64 `json:"error"`   // by which Unmoved may be wrong
}

// Gross returns what the moves saved, calls and moves not deducted.
func (s *Saving) Gross() float64 { return s.Unmoved - s.Seen }

// Saving returns the comparison of the run with its unmoved shadow, and what calls and
// moves took, which a gain has to be reduced by. It is not known of a run without moves,
// nor before there was a look at what the first of them brought, and in records of versions
// that did not measure it.
func (a *Account) Saving() (s Saving, spent float64, known bool) {
	spent = a.whole.DecideTime + a.whole.MoveTime
	switch e := a.Emulation; {
	case a.calls.moves == 0:
		return s, spent, false
	case e != nil:
		return Saving{Step: a.whole.Step.Last, Unmoved: e.Without, Seen: e.With - e.Calls - e.Moves}, spent, true
	}
	return a.saving, spent, a.saving.Step > a.before.Step.Last || a.saving.Step > 0 && a.elapsed > 0
}

func (s *Saving) check() error {
	if s.Step < 0 || !(s.Unmoved >= 0) || !(s.Seen >= 0) || !(s.Error >= 0) {
		return fmt.Errorf("saving: after superstep %d %g s unmoved (error %g s), %g s seen; expected numbers from 0 on", s.Step, s.Unmoved, s.Error, s.Seen)
	}
	return nil
}
