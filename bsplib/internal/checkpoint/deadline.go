package checkpoint

import "time"

// deadline has the end of the job's time and the measurements for a checkpoint before it.
type deadline struct {
	at      time.Duration // since the run began, 0 for none
	last    time.Duration // end of the last stage, or of the last attempt
	longest time.Duration // stage
	cost    time.Duration // of the last attempt, 0 before the first
	asked   bool          // the last checkpoint was requested
}

// reserve is the time for the end of the program after the last checkpoint.
const reserve = 5 * time.Second

// near reports, once, whether the last checkpoint must begin now: the time left is less than twice the
// longest stage, twice the last attempt, and reserve.
func (d *deadline) near(now time.Duration) bool {
	if d.at == 0 || d.asked || now+2*d.longest+2*d.cost+reserve < d.at {
		return false
	}
	d.asked = true
	return true
}

// trial reports whether a checkpoint must be written to measure its cost.
func (d *deadline) trial(now time.Duration) bool {
	return d.at > 0 && d.cost == 0 && now >= leastInterval
}

// stage records the end of a stage.
func (d *deadline) stage(now time.Duration) {
	d.longest = max(d.longest, now-d.last)
	d.last = now
}

// attempt records an attempt to write a checkpoint. A failed last checkpoint is attempted again.
func (d *deadline) attempt(now, took time.Duration) {
	d.last, d.cost, d.asked = now, took, false
}
