package ledger

import "fmt"

// explained is the part of the elapsed time that may be unexplained without a word.
const explained = 0.10

// UnexplainedCause says where most of the unexplained time went, "" if that is less than a
// tenth of all: outside of supersteps, calls and moves, or to what ends of supersteps took
// beyond h*g and l.
func (a *Account) UnexplainedCause(t *Totals) string {
	d := a.Budget(t)
	if d.Unexplained < explained*d.Elapsed {
		return ""
	}
	inside := t.Step.Total.Seconds()
	outside := d.Elapsed - inside - t.DecideTime - t.MoveTime
	ends := inside - (t.Step.WorkMax + t.Step.Lost).Seconds() - d.Transfer - d.Latency
	why, most := "", max(outside, ends)
	switch late := inside - (t.Step.WorkMax + t.Step.Lost + t.Step.Comm).Seconds(); {
	case most == outside:
		why = "passed outside of supersteps: for the account, checkpoints and the end of the run"
	case a.Machine == nil:
		why = "is what ends of supersteps took; g and l are not known"
	case late > ends/2:
		why = "passed between the end of supersteps on the first rank and the begin of the next one's work on the slowest: it had no core, or waited for bytes longer than others"
	case t.Step.Left() == 0:
		why = "is what ends of supersteps took beyond l, with nothing sent: a rank had no core, or the system had another one in hand"
	default:
		why = "is what ends of supersteps took beyond h g and l: others used the network or the cores"
	}
	return fmt.Sprintf("unexplained: %s of it %s", secondsText(most), why)
}
