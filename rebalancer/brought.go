package rebalancer

// What moves have brought is told of any run whose controllers keep an account, whatever its
// strategy: the bank's estimate of how much longer supersteps would have taken with every process
// where it began. A strategy without a bank is not bound by it.

// LastReport is what Conclude needs of some ranks after the last superstep. No call comes after it:
// what moves have still to prove is forgotten.
func (c *Controller) LastReport(ranks []RankState, detail func(pid int) Detail) Report {
	c.Forget()
	return c.Report(ranks, detail)
}

// Conclude brings the account up to date after the last superstep, with the reports of all ranks.
//
// Errors: those of Merge.
func (c *Controller) Conclude(step int, reports ...Report) (*Bank, error) {
	d := Decision{Learned: c.last.Learned}
	s, err := Merge(step, reports...)
	if err != nil {
		return nil, err
	}
	v := c.view(&s, &d)
	d.Learned.Exchange = exchanged(c.spec, v, c.last.Learned.Exchange)
	return c.audit(v, false), nil
}
