package ledger

import (
	"fmt"
	"time"
)

// Part is how much of the current loop of stages is done, 0 where that is not
// known.
func (p *Progress) Part() float64 {
	if p.Stages == 0 {
		return 0
	}
	return float64(p.Stage) / float64(p.Stages)
}

// Headline says in one line how far a run is, after so much time of this
// machine.
func (a *Account) Headline(p *Progress, after time.Duration) string {
	text := fmt.Sprintf("superstep %d, %s", p.Step, after.Round(time.Second))
	if part := p.Part(); part > 0 {
		text = fmt.Sprintf("superstep %d, stage %d of %d (%.0f%%), %s", p.Step, p.Stage, p.Stages, 100*part, after.Round(time.Second))
		if p.Loop == 1 {
			text += fmt.Sprintf(", %s to go", time.Duration(float64(after)*(1-part)/part).Round(time.Second))
		}
	}
	t := a.Whole()
	text += fmt.Sprintf("; w max/avg %.2f", t.Imbalance())
	if a.calls.moves > 0 {
		text += fmt.Sprintf("; %d moves in %s", a.calls.moves, Count(a.calls.count, "call"))
	}
	return text
}
