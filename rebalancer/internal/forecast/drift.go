package forecast

import "math"

// driftMost is up to how many processes a drift is looked for: in larger runs the columns are too
// few to see one.
const driftMost = 20000

// drift assumes that the profile of work over the processes keeps moving along the pids at its past
// speed. It shifts the last columns by the expected distance at samples of the coming
// supersteps.
func drift(past *Series) (*Series, bool) {
	speed := past.driftSpeed()
	if speed == 0 || past.Horizon == 0 || len(past.ByClass()) > 1 {
		return nil, false
	}
	n := len(past.Rows)
	last := past.Columns - 1
	coming := past.clone()
	coming.Columns = min(past.Horizon, past.Samples, waveSamples)
	for pid := range coming.Rows {
		coming.Rows[pid] = make([]float32, coming.Columns)
		for s := range coming.Columns {
			ahead := (float64(s) + 0.5) * float64(past.Horizon) / float64(coming.Columns)
			from := (pid - int(math.Round(speed*ahead))) % n
			if from < 0 {
				from += n
			}
			coming.Rows[pid][s] = past.Rows[from][last]
		}
	}
	coming.Classes, coming.Ahead = make([]int, coming.Columns), true
	return coming, true
}

// driftSamples is about how many processes, and every other column, a drift is looked for in:
// it is the same for all.
const driftSamples = 256

// driftSpeed returns the speed of the profile in pids per superstep, or 0: the shift
// between the two halves of the columns that matches them best, if it leaves less than half of
// their difference.
func (m *Series) driftSpeed() float64 {
	n, lag := len(m.Rows), m.Columns/2
	if lag < 2 || n < 4 || n > driftMost {
		return 0
	}
	apart := max(1, n/driftSamples)
	distance := func(shift int) (sum float64) {
		for pid := 0; pid < n; pid += apart {
			to, from := m.Rows[pid], m.Rows[((pid-shift)%n+n)%n]
			for c := lag; c < m.Columns; c += 2 {
				sum += math.Abs(float64(to[c] - from[c-lag]))
			}
		}
		return sum
	}
	best, _ := bestShift(min(n/2, lag*waveReach), distance(0)/2, distance)
	return float64(best) / float64(lag)
}
