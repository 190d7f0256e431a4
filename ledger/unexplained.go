package ledger

import "fmt"

// explained is the part of the elapsed time that may be unexplained without a word.
const explained = 0.10

// UnexplainedCause says where most of the unexplained time went, "" if that is less than a
// tenth of all. It has three parts:
//
//	outside   of supersteps, calls and moves: the account, checkpoints, the end
//	late      from the begin of supersteps to that of their slowest rank's work
//	barrier   what the ends of supersteps took beyond h*g and l
func (a *Account) UnexplainedCause(t *Totals) string {
	d := a.Budget(t)
	if d.Unexplained < explained*d.Elapsed {
		return ""
	}
	inside := t.Total.Seconds()
	outside := d.Elapsed - inside - t.DecideTime - t.MoveTime
	late := inside - (t.WorkMax + t.Lost + t.Comm).Seconds()
	barrier := t.Comm.Seconds() - d.Transfer - d.Latency
	why, most := "", max(outside, late, barrier)
	switch {
	case most == outside:
		why = "passed outside of supersteps: for the account, checkpoints and the end of the run"
	case most == late:
		why = "passed before the slowest ranks began their work: they had no core when the superstep began"
	case a.Machine == nil:
		why = "is what ends of supersteps took; g and l are not known"
	case t.Left() == 0:
		why = "is what ends of supersteps took beyond l, with nothing sent: ranks that had ended their work waited for a core, or the system had another one in hand"
	default:
		why = "is what ends of supersteps took beyond h g and l: others used the network or the cores, or the bytes went another way than usual"
	}
	return fmt.Sprintf("unexplained: %s of it %s", secondsText(most), why)
}
