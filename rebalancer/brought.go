package rebalancer

import (
	"math"
	"slices"
)

// What moves have brought is told of any run whose controllers keep an account, whatever its
// strategy: the bank's estimate of how much longer supersteps would have taken with every process
// where it began. A strategy without a bank is not bound by it.

// KeepAccount begins the account. All controllers of a run keep it, before the first superstep.
func (c *Controller) KeepAccount() {
	if !c.accounts() {
		c.auditor.shadows = [][]int32{slices.Clone(c.where)}
		c.auditor.restart(c.where)
	}
}

func (c *Controller) accounts() bool { return len(c.auditor.shadows) > 0 }

// Away reports whether some process is elsewhere than where the run began, by its account.
func (c *Controller) Away() bool {
	return c.accounts() && !slices.Equal(c.where, c.auditor.shadows[0])
}

// Brought is how many seconds more the supersteps would have taken where the run began, and how
// far off that may be: half of what lies between the ends, and a quarter for what no sample shows,
// such as hosts that change while nobody is there. What calls and moves took is not deducted. The
// lower end counts Warm, by which nothing is decided: moves would be taken back for what nobody has
// seen.
func (b *Bank) Brought() (seconds, doubt float64) {
	least := b.Saved - b.Warm
	seconds = (least+b.Most)/2 + b.Paid
	return seconds, (b.Most-least)/2 + math.Abs(seconds)/4
}

// LastReport is what Conclude needs of some ranks after the last superstep. No call comes after it:
// what moves have still to prove is forgotten.
func (c *Controller) LastReport(ranks []RankState, detail func(pid int) Detail) Report {
	if c.DecidesWithinSets() {
		return Report{Ranks: ranks, Audits: c.auditor.report(ranks)}
	}
	c.Forget()
	return c.Report(ranks, detail)
}

// Conclude brings the account up to date after the last superstep, with the reports of all ranks.
// Where managers decide within their Sets, messages since the last call count as no longer than
// they would have been.
//
// Errors: those of Merge.
func (c *Controller) Conclude(step int, reports ...Report) (*Bank, error) {
	d := Decision{Learned: c.learned}
	if c.DecidesWithinSets() {
		s, err := mergeReports(reports)
		if err != nil {
			return nil, err
		}
		none := make([]float64, len(c.auditor.shadows))
		f := bankFigures{shadowSends: none, shadowWaits: none}
		f.audited = newAudited(c.view(&s, &d), none)
		return c.balance(s.Ranks, f), nil
	}
	s, err := Merge(step, reports...)
	if err != nil {
		return nil, err
	}
	v := c.view(&s, &d)
	d.Learned.Exchange = c.exchanged(v, c.learned.Exchange)
	return c.audit(v, false), nil
}
