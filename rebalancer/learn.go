package rebalancer

import (
	"math"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/forecast"
)

const (
	learnRange   = 100.0 // a learned speed stays within this factor of the declared one
	learnMinimum = 1e-12 // seconds; what took less says nothing about a speed
)

// learn returns the speeds of the ranks, corrected by what the moved processes
// took on two ranks, and the trust in predictions, lowered if the moves brought
// too little. Both are as in v.Learned where nothing was learned.
func learn(v View, p *Pending, o *Outcome) (speeds []float64, trust float64) {
	trust = costTrust(v.Learned)
	if o != nil && o.Predicted > 0 {
		if o.Realised < v.set.Or().Guard.TrustEnough*o.Predicted {
			trust = max(trust/2, v.set.Or().Guard.TrustLeast)
		} else {
			trust = min(trust*v.set.Or().Guard.TrustRegain, 1)
		}
	}
	speeds = make([]float64, len(v.Platform.Ranks))
	for r := range speeds {
		speeds[r] = costSpeed(v, r)
	}
	if p != nil && v.Step > p.Step && v.set.Or().Guard.Learn {
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
	tells, noise := m.telling(p, first), m.noiseSince(p, first)
	for i, move := range p.Moves {
		if !tells[i] {
			continue
		}
		now := m.seconds(move.Pid, first)
		if now > learnMinimum && p.Work[i] > learnMinimum {
			pair, ratio := rankPair{from: move.From, to: move.To}, p.Work[i]*trend/now
			known := costSpeed(v, move.To) / costSpeed(v, move.From)
			if before := meanColumn(m.Rows[move.Pid][:first]); before > 0 {
				ratio = known * before * trend / m.MeanWork(move.Pid, first)
			}
			if math.Abs(math.Log(ratio/known)) <= noise {
				ratio = known // what work does by itself explains it
			}
			ratios[pair] = append(ratios[pair], ratio)
		}
	}
	return ratios
}

// noiseSince is how much work changes by itself from before the moves to the time since:
// the logarithm of a factor. It is the most that the work of a process which did not move
// has changed by, beside what all have, or twice what that of any process changes from one
// half of its time in a place to the other. Changes within it say nothing of ranks, the
// less so as strategies move those that are busy for the moment.
func (m *costModel) noiseSince(p *Pending, first int) float64 {
	from := first
	if first == 0 {
		from = m.Columns / 2
	}
	moved := make(map[int]bool, len(p.Moves))
	for _, move := range p.Moves {
		moved[move.Pid] = true
	}
	var changes []float64
	drift := 0.0
	for pid, row := range m.Rows {
		if row == nil {
			continue
		}
		if !moved[pid] {
			changes = append(changes, logChange(row[:from], row[from:]))
		}
		for _, part := range [2][]float32{row[:from], row[from:]} {
			drift = max(drift, 2*math.Abs(logChange(part[:len(part)/2], part[len(part)/2:])))
		}
	}
	if len(changes) == 0 {
		return drift
	}
	slices.Sort(changes)
	middle := changes[len(changes)/2]
	return max(drift, middle-changes[0], changes[len(changes)-1]-middle)
}

// logChange is the logarithm of the factor from the mean of some columns to that of others;
// 0 where one of them is none, and infinite where work begins or ends.
func logChange(before, after []float32) float64 {
	a, b := meanColumn(before), meanColumn(after)
	switch {
	case len(before) == 0 || len(after) == 0 || a == b:
		return 0
	case a == 0 || b == 0:
		return math.Inf(1)
	}
	return math.Log(b / a)
}

func meanColumn(columns []float32) (mean float64) {
	for _, work := range columns {
		mean += float64(work) / float64(len(columns))
	}
	return mean
}

// steady reports whether a process did about the same in all supersteps of a class
// before a column, and in all since. Of one that takes turns with others, a few
// supersteps say nothing about the speed of its rank.
func (m *costModel) steady(pid, first int) bool {
	type part struct {
		class int
		since bool
	}
	sums, counts := map[part]float64{}, map[part]float64{}
	row := m.Rows[pid]
	for c, work := range row {
		key := part{class: m.Class(c), since: c >= first}
		sums[key] += float64(work)
		counts[key]++
	}
	for c, work := range row {
		key := part{class: m.Class(c), since: c >= first}
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

// trendSince is how much the work of a process grew from before the moves to
// the columns since: the median over the processes that did not move. If no
// column is from before them, the line through the means is followed back. It is not
// sure where only that is known and work changes much, nor where the others take turns.
func (m *costModel) trendSince(p *Pending, first int) (trend float64, sure bool) {
	if first == 0 {
		trend = m.lineSince(p.Step)
		return trend, trend <= m.view.set.Or().Guard.TrendSure && trend >= 1/m.view.set.Or().Guard.TrendSure
	}
	moved := make(map[int]bool, len(p.Moves))
	for _, move := range p.Moves {
		moved[move.Pid] = true
	}
	var ratios []float64
	unsteady := false
	for pid, row := range m.Rows {
		if row == nil || moved[pid] {
			continue
		}
		if !m.steady(pid, first) {
			unsteady = true
			continue
		}
		before := meanColumn(row[:first])
		if after := m.MeanWork(pid, first); before > 0 && after > 0 {
			ratios = append(ratios, after/before)
		}
	}
	if len(ratios) == 0 {
		return 1, !unsteady
	}
	return learnMedian(ratios), true
}

// lineSince is the mean work of those that work in the columns over what their line
// says for as many columns that end at a superstep.
func (m *costModel) lineSince(step int) float64 {
	var line forecast.Line
	for c, mean := range m.WorkerMeans() {
		line.Add(float64(c), mean)
	}
	base, slope, ok := line.Fit(&m.view.set.Or().Forecast)
	if !ok {
		return 1
	}
	ago := float64(m.view.Step - step)
	then := base + slope*(float64(m.Columns-1)/2-ago)
	if then <= 0 {
		return forecast.TrendGrowth
	}
	return min(max(line.Mean()/then, 1/forecast.TrendGrowth), forecast.TrendGrowth)
}

// telling tells of each move whether what its process took before and since says something
// about the ranks: it is where it went, did about the same in all supersteps, and was at
// work before as it is since.
func (m *costModel) telling(p *Pending, first int) []bool {
	before, since := make([]float64, len(p.Moves)), make([]float64, len(p.Moves))
	tells := make([]bool, len(p.Moves))
	for i, move := range p.Moves {
		if i < len(p.Work) && stillThere(m.view.Where, move) && m.steady(move.Pid, first) {
			before[i] = p.Work[i] * costSpeed(m.view, move.From)
			since[i] = m.MeanWork(move.Pid, first)
			tells[i] = true
		}
	}
	leastBefore, leastSince := m.view.set.Or().Guard.WaitingBelow*meanOf(before, tells), m.view.set.Or().Guard.WaitingBelow*meanOf(since, tells)
	for i := range tells {
		tells[i] = tells[i] && before[i] > leastBefore && since[i] > leastSince
	}
	return tells
}

// meanOf is the mean of those values that are counted.
func meanOf(values []float64, counted []bool) float64 {
	sum, n := 0.0, 0.0
	for i, value := range values {
		if counted[i] {
			sum += value
			n++
		}
	}
	return ratioOr(sum, n, 0)
}

// seconds is what a process computes per superstep where it is: the mean of its
// work in the columns from one on, at the pace that it was last timed at.
func (m *costModel) seconds(pid, from int) float64 {
	p := m.process(pid)
	if p == nil {
		return 0
	}
	if p.Work <= 0 || len(p.RecentWork) == 0 {
		return p.Time
	}
	return p.Time / p.Work * m.MeanWork(pid, from)
}

// firstSince is the first column that was observed after a superstep.
func (m *costModel) firstSince(step int) int {
	return min(max(m.Columns-(m.view.Step-step), 0), m.Columns-1)
}

// stillThere reports whether a moved process is where it went.
func stillThere(where []int32, move Move) bool {
	return move.Pid >= 0 && move.Pid < len(where) && int(where[move.Pid]) == move.To
}
