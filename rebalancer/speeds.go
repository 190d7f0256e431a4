package rebalancer

import (
	"maps"
	"math"
	"slices"
)

// Speeds are learned from what moves tell. A process took a seconds in a superstep on rank f, and takes b
// on rank t since it moved; those that stayed take g times what they took. Then, if its work has
// grown as theirs,
//
//	log(speed(t)/speed(f)) = log(a/b) + log(g) + e
//
// where e is what its work does by itself. Its variance follows from how much work differs from superstep
// to superstep, from one half of its time in a place to the other, and from one process that stayed to
// another. What is within speedGate of it says nothing. The speeds that fit best are those of least squares,
// in which a declared speed has a variance too: speedPrior, less with all that was learned.
//
// The last moves tell more with each superstep that follows them. So at each call the speeds are
// found anew from what was known before these moves. Where they tell what speeds cannot be the reason of, work
// depends on where processes are or changes as they move: speeds are as unsure as at first, and no more is learned.

const (
	learnRange = 100.0 // a learned speed stays within this factor of the declared one

	speedPrior  = 0.5 * 0.5   // variance of the logarithm of a declared speed
	speedFloor  = 0.02 * 0.02 // and of a learned one at least
	speedGate   = 3.0         // standard deviations
	turnsShare  = 0.05        // of the processes, that begin or end work
	speedWaits  = 1.0 / 8     // of the mean work, below which a process waits for its turn, as behind the front of a wave
	speedDrift  = 4.0         // variances of what work changes by for each of what its halves differ by
	speedWrong  = 3.5         // standard deviations; what is further away does not come from speeds
	speedSlow   = 3.2         // logarithm; ranks with much else on them are so slow
	speedUnlike = 0.5         // variance of the logarithm of work that was alike
	speedNear   = 0.005       // logarithm; less is not worth telling
	speedFar    = 0.1         // logarithm; so much makes another mapping the best
	speedRounds = 40          // in which all ranks' speeds are brought in line with each other
)

// LastMoves is the moves of a call, and what was known when they were made.
type LastMoves struct {
	Step           int
	Moves          []Move
	Speeds, Doubts []float64 // of ranks, and variances of their logarithms
	Took           []float64 // by process, seconds of a superstep where it was; 0 if not known
	noise          workNoise
	told           bool
}

// workNoise is how much the work of a process differs by itself, as a part of its mean.
type workNoise struct {
	columns int     // supersteps it is known of
	step    float64 // variance from superstep to superstep
	drift   float64 // variance from one half of the time to the other of the one that differs most, beyond what that makes
}

// lastMoves is what is known now, for when speeds are learned from the moves.
func lastMoves(v View, moves []Move) *LastMoves {
	m := newCostModel(v)
	l := &LastMoves{
		Step: v.Snapshot.Step, Moves: slices.Clone(moves), Took: make([]float64, len(v.Where)), noise: m.noise(0),
		Speeds: make([]float64, len(v.Platform.Ranks)), Doubts: make([]float64, len(v.Platform.Ranks)),
	}
	for r := range l.Speeds {
		l.Speeds[r], l.Doubts[r] = costSpeed(v, r), speedDoubt(v, r)
	}
	room := make([]float64, m.Columns)
	for pid := range l.Took {
		if from := m.here(pid); from < m.Columns {
			l.Took[pid] = m.usual(pid, from, room) / l.Speeds[v.Where[pid]]
		}
	}
	return l
}

// here is the first column in which a process was where it is; Columns if there is none.
func (m *costModel) here(pid int) int {
	p := m.process(pid)
	if p == nil || m.Rows[pid] == nil {
		return m.Columns
	}
	return max(0, m.Columns-p.SinceMove)
}

// usual is what a process does in a superstep from a column on: the median, which says more than the mean
// where a few supersteps are unlike the others, of each class. room is for as many figures as there are columns.
func (m *costModel) usual(pid, from int, room []float64) (work float64) {
	row := m.Rows[pid]
	for c, left := from, m.Columns-from; left > 0; c++ {
		if m.sameBefore(c, from) >= 0 {
			continue
		}
		list := room[:0]
		for k := c; k < m.Columns; k++ {
			if m.Class(k) == m.Class(c) {
				list = append(list, float64(row[k]))
			}
		}
		middle, _ := middleAndSpread(list)
		work += middle * float64(len(list)) / float64(m.Columns-from)
		left -= len(list)
	}
	return work
}

// sameBefore is the last column of the same class before one, from another one on; -1 if there is none.
func (m *costModel) sameBefore(column, from int) int {
	for k := column - 1; k >= from; k-- {
		if m.Class(k) == m.Class(column) {
			return k
		}
	}
	return -1
}

// noise is that of the columns from one on.
func (m *costModel) noise(from int) workNoise {
	n := workNoise{columns: m.Columns - from}
	var steps moments
	halves := 0.0
	for pid, row := range m.Rows {
		first := max(from, m.here(pid)) // Columns where there is no row
		part := row[min(first, len(row)):]
		mean := meanColumn(part)
		if len(part) < 2 || !(mean > 0) {
			continue
		}
		for c := first + 1; c < m.Columns; c++ {
			if before := m.sameBefore(c, first); before >= 0 {
				x := float64(row[c]-row[before]) / mean
				steps.add(x * x / 2)
			}
		}
		half := len(part) / 2
		x := (meanColumn(part[:half]) - meanColumn(part[len(part)-half:])) / mean
		halves = max(halves, x*x/4)
	}
	if steps.n > 0 {
		n.step = steps.sum / steps.n
	}
	n.drift = max(0, halves-8*n.step/float64(n.columns))
	return n
}

// variance is that of the logarithm of what a process took in one part of the time over what it took
// in another.
func (n workNoise) variance(o workNoise) float64 {
	return n.step/float64(max(1, n.columns)) + o.step/float64(max(1, o.columns)) + speedDrift*max(n.drift, o.drift)
}

// learnSpeeds returns the speeds of the ranks and the variances of their logarithms after what the last moves
// tell. It is wrong to learn speeds where they tell what cannot come from them.
func learnSpeeds(v View, l *LastMoves, heard []speedEvidence) (speeds, doubts []float64, wrong bool) {
	shift := make([]float64, len(l.Speeds)) // logarithms
	for range speedRounds {
		sums, weights := make([]float64, len(shift)), make([]float64, len(shift))
		for _, e := range heard {
			w := 1 / e.variance
			sums[e.to] += w * (shift[e.from] + e.ratio)
			sums[e.from] += w * (shift[e.to] - e.ratio)
			weights[e.to] += w
			weights[e.from] += w
		}
		for r := range shift {
			shift[r] += (sums[r]/(weights[r]+1/l.Doubts[r]) - shift[r]) / 2 // half of the way: pairs do not swing
		}
	}
	if l.contradicted(heard, shift) || l.unlike(v, shift) {
		return nil, nil, true
	}
	sure := make([]float64, len(shift))
	for _, e := range heard {
		// What was seen and may be work that differs by itself may be speeds all the same.
		doubt := e.variance + (e.seen-e.ratio)*(e.seen-e.ratio)
		sure[e.to] += 1 / (doubt + l.Doubts[e.from])
		sure[e.from] += 1 / (doubt + l.Doubts[e.to])
	}
	speeds, doubts = make([]float64, len(shift)), make([]float64, len(shift))
	for r := range speeds {
		declared := declaredSpeed(v, r)
		speeds[r] = min(max(l.Speeds[r]*math.Exp(shift[r]), declared/learnRange), declared*learnRange)
		if was := costSpeed(v, r); math.Abs(math.Log(speeds[r]/was)) < speedNear {
			speeds[r] = was // ranks are told of what changes
		}
		doubts[r] = max(speedFloor, 1/(1/l.Doubts[r]+sure[r]))
	}
	return speeds, doubts, false
}

// contradicted reports whether moves tell what cannot come from speeds, for it is far from what is believed, or from
// what suits all of it best. A rank of which nothing is known may be slower by up to speedSlow.
func (l *LastMoves) contradicted(heard []speedEvidence, shift []float64) bool {
	left, variance := 0.0, 0.0
	for _, e := range heard {
		faster := speedWrong * math.Sqrt(e.variance+l.Doubts[e.from]+l.Doubts[e.to])
		slower := faster
		if l.Doubts[e.from] == speedPrior && l.Doubts[e.to] == speedPrior {
			slower = speedSlow
		}
		if e.seen > faster || e.seen < -slower {
			return true
		}
		x := e.ratio - shift[e.to] + shift[e.from]
		left, variance = left+x*x, variance+e.variance
	}
	return left > speedWrong*speedWrong*variance
}

// unlike reports whether processes that did much alike on all ranks at the speeds believed before the moves would have
// done what is far apart: that they did so would be a coincidence.
func (l *LastMoves) unlike(v View, shift []float64) bool {
	where := costReturned(v.Where, l.Moves)
	works := make([]moments, len(shift))
	for pid, took := range l.Took {
		if took > 0 {
			works[where[pid]].add(math.Log(took * l.Speeds[where[pid]]))
		}
	}
	var before, after moments
	for rank, of := range works {
		if of.n > 0 {
			before.add(of.sum / of.n)
			after.add(of.sum/of.n + shift[rank])
		}
	}
	apart := after.variance() - 4*before.variance()
	return apart > speedUnlike
}

// declaredSpeed is what a rank's speed is said to be, 1 if that is not known.
func declaredSpeed(v View, rank int) float64 {
	if speed := v.Platform.Ranks[rank].Speed; speed > 0 {
		return speed
	}
	return 1
}

// speedDoubt is the variance of the logarithm of a rank's speed.
func speedDoubt(v View, rank int) float64 {
	if v.Learned != nil && rank < len(v.Learned.SpeedDoubts) && v.Learned.SpeedDoubts[rank] > 0 {
		return v.Learned.SpeedDoubts[rank]
	}
	return speedPrior
}

// speedEvidence is what processes that moved from a rank to another tell: the logarithm of the factor by
// which the second is faster beside the first than was believed before the moves.
type speedEvidence struct {
	from, to       int
	seen, variance float64
	ratio          float64 // as far as work does not explain it
}

// evidence is what the moves tell, by pair of ranks; nothing where work comes and goes.
func (l *LastMoves) evidence(v View) []speedEvidence {
	m := newCostModel(v)
	first := m.Columns - (v.Snapshot.Step - l.Step)
	if l.told && first < 0 || v.Snapshot.Step <= l.Step || len(l.Took) != len(v.Where) {
		return nil // what was seen sooner after the moves tells more
	}
	first = max(0, first)
	noise := m.noise(first)
	if noise.columns < sureColumns {
		return nil
	}
	changes, steady := l.changes(m, first)
	if !steady {
		return nil
	}
	stayed := maps.Clone(changes)
	for _, move := range l.Moves {
		delete(stayed, move.Pid)
	}
	trend, spread := middleAndSpread(slices.Collect(maps.Values(stayed)))
	return l.byPair(v, changes, trend, max(noise.variance(l.noise), spread))
}

// changes is, by process, the logarithm of how many times longer than before the moves it takes where it is
// since a column, of those that work, and whether few begin or end work.
func (l *LastMoves) changes(m *costModel, first int) (changes map[int]float64, steady bool) {
	changes = make(map[int]float64, len(l.Took))
	room := make([]float64, m.Columns)
	least := speedWaits * meanOfAll(l.Took)
	known, turns := 0, 0
	for pid, took := range l.Took {
		if m.here(pid) > first || m.Rows[pid] == nil {
			continue
		}
		known++
		now := m.usual(pid, first, room) / costSpeed(m.view, int(m.view.Where[pid]))
		switch worked, works := took > least, now > least; {
		case worked != works:
			turns++
		case works:
			changes[pid] = math.Log(now / took)
		}
	}
	return changes, float64(turns) <= turnsShare*float64(known)
}

// byPair is the evidence of the moved processes' changes beside the trend of the others, each with such a variance.
func (l *LastMoves) byPair(v View, changes map[int]float64, trend, variance float64) (heard []speedEvidence) {
	type pair struct{ from, to int }
	ratios := map[pair][]float64{}
	var order []pair
	for _, move := range l.Moves {
		change, tells := changes[move.Pid]
		if !tells || !stillThere(v.Where, move) {
			continue
		}
		at := pair{move.From, move.To}
		if len(ratios[at]) == 0 {
			order = append(order, at)
		}
		ratios[at] = append(ratios[at], trend-change-math.Log(l.Speeds[move.To]/l.Speeds[move.From]))
	}
	squares := 0.0
	for _, at := range order {
		x, spread := middleAndSpread(ratios[at])
		e := speedEvidence{from: at.from, to: at.to, seen: x}
		e.variance = max(speedFloor, max(variance, spread)/math.Sqrt(float64(len(ratios[at]))))
		squares += x * x / e.variance
		heard = append(heard, e)
	}
	// What work does by itself makes of each a square of 1 on average (James and Stein 1961).
	left := max(0, 1-float64(len(heard))*(1+speedGate*math.Sqrt2)/squares)
	for i := range heard {
		heard[i].ratio = left * heard[i].seen
	}
	return heard
}

// middleAndSpread is the median of a list, and the square of half of the largest distance from it, 0 of none: the
// variance of a few dozen, and more where one is unlike the others, for strategies move those first.
func middleAndSpread(list []float64) (middle, spread float64) {
	if len(list) == 0 {
		return 0, 0
	}
	slices.Sort(list)
	middle = (list[(len(list)-1)/2] + list[len(list)/2]) / 2
	far := max(middle-list[0], list[len(list)-1]-middle)
	return middle, far * far / 4
}

func meanColumn(columns []float32) (mean float64) {
	for _, work := range columns {
		mean += float64(work) / float64(len(columns))
	}
	return mean
}
