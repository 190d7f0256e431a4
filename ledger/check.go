package ledger

import "fmt"

// Check returns a sentence for each identity between the figures of the account that does
// not hold. Each is an error of this program or of the record, and the figures that it
// names are not to be trusted.
func (a *Account) Check() []string {
	wrong := append([]string(nil), a.misfits...)
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	t := a.Whole()
	a.checkEfficiency(&t, "of the whole run", say)
	if a.before != nil {
		a.checkEfficiency(a.before, "before the first move", say)
	}
	var sum Step
	for i := range a.sites {
		sum.Add(&a.sites[i].Step)
	}
	if sum.Count != t.Step.Count || sum.WorkMax != t.Step.WorkMax || sum.H != t.Step.H {
		say("the call sites have %d supersteps, %v of work and %d bytes, the run %d, %v and %d", sum.Count, sum.WorkMax, sum.H, t.Step.Count, t.Step.WorkMax, t.Step.H)
	}
	if a.expected > 0 && t.Step.Count != a.expected {
		say("there are %d supersteps, the end of the run says %d", t.Step.Count, a.expected)
	}
	d := a.Budget(&t)
	added := 0.0
	for _, part := range d.Parts() {
		added += part.Seconds
	}
	if !equal(added, d.Elapsed) {
		say("the parts of the time add up to %g s of %g s", added, d.Elapsed)
	}
	if inside := t.Step.Total.Seconds() + t.DecideTime + t.MoveTime; inside > t.Elapsed*(1+tolerance)+1e-6 {
		say("supersteps, calls and moves took %g s of %g s elapsed", inside, t.Elapsed)
	}
	a.checkCapacity(&t, say)
	a.checkSaving(&t, say)
	return wrong
}

// checkCapacity compares the ranks' CPU with the sums of the supersteps, if both cover the
// whole run. A run that was ended early has no capacity for its last supersteps.
func (a *Account) checkCapacity(t *Totals, say func(string, ...any)) {
	elapsed, cpu, given := 0.0, 0.0, a.Capacity()
	for rank := range given.Ranks {
		c := &given.Ranks[rank]
		elapsed, cpu = elapsed+c.Elapsed, cpu+c.CPU
		if !equal(c.Elapsed, c.CPU+c.Denied().Sum()) {
			say("rank %d worked %g s, ran %g s and was denied %g s by all causes", rank, c.Elapsed, c.CPU, c.Denied().Sum())
		}
	}
	if elapsed == 0 || a.elapsed == 0 || a.stale {
		return
	}
	if work, ran := t.Step.WorkSum.Seconds(), (t.Step.WorkSum - t.Step.DeniedSum).Seconds(); !equal(elapsed, work) || !equal(cpu, ran) {
		say("ranks worked %g s and ran %g s, supersteps say %g s and %g s", elapsed, cpu, work, ran)
	}
}

// checkSaving compares the saving of the calls with the saving of the run.
func (a *Account) checkSaving(t *Totals, say func(string, ...any)) {
	s := made(&a.saving)
	if s.Step == 0 {
		return
	}
	if seen := t.Step.Total.Seconds(); s.Step == t.Step.Last && a.Emulation == nil && !equal(s.Seen, seen) {
		say("the run is compared with one without moves by supersteps of %g s, and they took %g s", s.Seen, seen)
	}
	if brought := a.Calls().brought(); a.Calls().Moves > 0 && !equal(brought, s.Gross()) {
		say("calls brought %g s, the run saved %g s", brought, s.Gross())
	}
}

func (a *Account) checkEfficiency(t *Totals, of string, say func(string, ...any)) {
	e := a.Efficiency(t)
	if product := e.LoadBalance * e.Serialisation * e.Capacity * e.Transfer; !equal(product, e.Parallel) {
		say("efficiency %s: load balance * serialisation * capacity * transfer is %.6g, parallel efficiency %.6g", of, product, e.Parallel)
	}
	if product := e.InSets * e.BetweenSets; !equal(product, e.LoadBalance) {
		say("efficiency %s: in Sets * between Sets is %.6g, load balance %.6g", of, product, e.LoadBalance)
	}
	// Clocks are read to the nanosecond.
	rounding := Ratio(float64(t.Step.Count)*10e-9, t.Elapsed)
	for _, f := range []struct {
		name  string
		value float64
	}{{"load balance", e.LoadBalance}, {"serialisation", e.Serialisation}, {"capacity", e.Capacity}, {"transfer", e.Transfer}} {
		if f.value > 1+tolerance+rounding {
			say("efficiency %s: %s is %.4g, more than 1", of, f.name, f.value)
		}
	}
}
