package rebalancer

import (
	"math"
	"slices"
)

const (
	trustLeast   = 1.0 / 16
	trustEnough  = 0.25 // part of a predicted saving that must come true
	trustRegain  = 1.5
	learnRange   = 100.0 // a learned speed stays within this factor of the declared one
	learnMinimum = 1e-12 // seconds; what took less says nothing about a speed
)

// learn returns the speeds of the ranks, corrected by what the moved processes
// took on two ranks, and the trust in predictions, lowered if the moves brought
// too little. Both are as in v.Memory where nothing was learned.
func learn(v View, p *Pending, o *Outcome) (speeds []float64, trust float64) {
	trust = costTrust(v.Memory)
	if o != nil && o.Predicted > 0 {
		if o.Realised < trustEnough*o.Predicted {
			trust = max(trust/2, trustLeast)
		} else {
			trust = min(trust*trustRegain, 1)
		}
	}
	speeds = make([]float64, len(v.Platform.Ranks))
	for r := range speeds {
		speeds[r] = costSpeed(v, r)
	}
	if p != nil && v.Step > p.Step {
		learnSpeeds(v, p, speeds)
	}
	return speeds, trust
}

// learnSpeeds corrects the speed of each rank that something moved to: the
// geometric mean of the old speed and of what its processes tell.
func learnSpeeds(v View, p *Pending, speeds []float64) {
	wrong := make([][]float64, len(speeds))
	for pair, ratios := range speedRatios(v, p) {
		wrong[pair.to] = append(wrong[pair.to], learnMedian(ratios)*speeds[pair.from]/speeds[pair.to])
	}
	learned := slices.Clone(speeds)
	for r, list := range wrong {
		if len(list) == 0 {
			continue
		}
		declared := v.Platform.Ranks[r].Speed
		if declared <= 0 {
			declared = 1
		}
		speed := speeds[r] * math.Sqrt(learnMedian(list))
		learned[r] = min(max(speed, declared/learnRange), declared*learnRange)
	}
	copy(speeds, learned)
}

// rankPair is where a process was timed before and after its move.
type rankPair struct{ from, to int }

// speedRatios is how many times faster each moved process was after its move,
// the trend of the others taken out; nothing where work changes too much to tell.
func speedRatios(v View, p *Pending) map[rankPair][]float64 {
	m := newCostModel(v)
	first := m.firstSince(p.Step)
	trend, sure := m.trendSince(p, first)
	ratios := map[rankPair][]float64{}
	if !sure {
		return ratios
	}
	tells := m.telling(p, first)
	for i, move := range p.Moves {
		if !tells[i] {
			continue
		}
		now := m.seconds(move.Pid, first)
		if now > learnMinimum && p.Work[i] > learnMinimum {
			pair := rankPair{from: move.From, to: move.To}
			ratios[pair] = append(ratios[pair], p.Work[i]*trend/now)
		}
	}
	return ratios
}

// steady tells whether a process did about the same in all supersteps of a class
// before a column, and in all since. Of one that takes turns with others, a few
// supersteps say nothing about the speed of its rank.
func (m *costModel) steady(pid, first int) bool {
	type part struct {
		class int
		since bool
	}
	sums, counts := map[part]float64{}, map[part]float64{}
	row := m.rows[pid]
	for c, work := range row {
		key := part{class: m.class(c), since: c >= first}
		sums[key] += float64(work)
		counts[key]++
	}
	for c, work := range row {
		key := part{class: m.class(c), since: c >= first}
		mean := sums[key] / counts[key]
		if float64(work) > 2*mean || float64(work) < mean/2 {
			return false
		}
	}
	return row != nil
}

// learnMedian is the middle value, or the geometric mean of the two middle ones,
// of a list of positive numbers that is not empty.
func learnMedian(list []float64) float64 {
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return math.Sqrt(sorted[half-1] * sorted[half])
}
