package forecast

import "math"

// driftMost is up to how many processes a drift is looked for: in larger runs the columns are too
// few to see one.
const driftMost = 20000

// drift takes it that the work wanders over the processes as it did: what one does now, one
// some pids further does later. It shifts the last columns by where the work will be in samples
// of those to come.
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

// driftSpeed is the pids per superstep by which the work wanders, 0 if it does not: the shift
// after half of the columns that makes these most alike, if that leaves less than half of
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
