package ledger

import "fmt"

// Predictions says by what rescheduling calls have predicted the work to come, where the
// program tells its loads; "" where it does not.
func (a *Account) Predictions() string {
	c := &a.calls
	if c.told == 0 {
		return ""
	}
	n := float64(c.told)
	return fmt.Sprintf("Predicted by the loads that the program tells in %d of %s: these were off by %s of the work on average, the past by %s.",
		c.byTold, Count(c.count, "call"), percent(c.toldError/n), percent(c.pastError/n))
}
