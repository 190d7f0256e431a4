package rebalancer

import (
	"maps"
	"math"
	"slices"

	"github.com/migbsp/migbsp/internal/wire"
)

// Speeds are learned from what moves tell. A process took a seconds in a superstep on rank f, and takes b
// on rank t since the moves. Then
//
//	log(a/b) = log(speed(t)/speed(f)) - g - m + e
//
// where g is how much all work has grown; m, of those that moved, how much theirs has beside that, for they were
// chosen by what they did; and e what work does by itself. The processes that stayed, with f = t, tell g. The
// speeds that fit best are those of least squares, in which a declared speed has a variance too: speedPrior, less with all
// that was learned. The variance of e is what the fit leaves, of all and of those that moved, together with how much work
// differs in one place from superstep to superstep and from one half of the time to the other. What
// speeds explain, of all moves so far, beyond speedGate standard deviations of what they would explain by chance is believed:
// the next moves go on from what was told, believed or not.
//
// The last moves tell more with each superstep that follows them. So at each call the speeds are
// found anew from what was told before these moves. Where they tell what speeds cannot be the reason of, work
// depends on where processes are or changes as they move: the declared speeds hold again, and no more is learned where that
// refutes what was.

const (
	learnRange = 100.0 // a learned speed stays within this factor of the declared one

	speedPrior  = 0.5 * 0.5   // variance of the logarithm of a declared speed
	speedFloor  = 0.02 * 0.02 // and of a learned one at least
	speedGate   = 1.5         // standard deviations
	speedWaits  = 1.0 / 8     // of the mean work, below which a process waits for its turn, as behind the front of a wave
	speedDrift  = 12.0        // variances of what work changes by for each of what its halves differ by
	speedKnown  = 4.0         // processes that the variance of work counts as beside those whose changes were seen
	speedUnseen = 100.0       // times that variance; what differs by more since moves changes with them
	speedWrong  = 3.5         // standard deviations; what was learned and is further away was no speed
	speedSlow   = 3.2         // logarithm; ranks with much else on them are so slow
	speedUnlike = 0.5         // variance of the logarithm of work that was alike
	speedNear   = 0.005       // logarithm; less is not worth telling
	speedFar    = 0.1         // logarithm; so much makes another mapping the best
	speedRounds = 300         // at most, in which all ranks' speeds are brought in line with each other
	speedFits   = 3           // in which these and the variance are
)

// ToldSpeeds are the ranks' speeds as moves tell them, whether that is believed or not.
type ToldSpeeds struct {
	Speeds    wire.Runs // by rank
	Doubts    wire.Runs // by rank, variances of the logarithms of these
	Explained float64   // by how much less unlikely they make what processes took than the declared speeds do, and
	Chance    float64   // by how much as many would by chance
}

// believed is the part of the way from the declared speeds to these that chance does not explain.
func (t *ToldSpeeds) believed() float64 {
	chance := t.Chance + speedGate*math.Sqrt(2*t.Chance)
	if !(t.Explained > chance) {
		return 0
	}
	return 1 - chance/t.Explained
}

// LastMoves is the moves of a call, and what was known when they were made.
type LastMoves struct {
	Step   int
	Moves  []Move
	Before ToldSpeeds
	Took   []float64 // by process, seconds of a superstep where it was; 0 if not known
	noise  workNoise
	told   bool
}

// workNoise is how much the work of a process differs by itself, as a part of its mean.
type workNoise struct {
	columns int     // supersteps it is known of
	step    float64 // variance from superstep to superstep
	drift   float64 // variance from one half of the time to the other, beyond what that makes
}

// lastMoves is what is known now, for when speeds are learned from the moves.
func lastMoves(v View, moves []Move) *LastMoves {
	m := newCostModel(v)
	l := &LastMoves{Step: v.Snapshot.Step, Moves: slices.Clone(moves), Took: make([]float64, len(v.Where)), noise: m.noise(0)}
	if l.Before.Speeds = v.Learned.Speeds; v.Learned.Told != nil {
		l.Before = *v.Learned.Told
	} else {
		l.Before.Doubts = slices.Repeat([]float64{speedPrior}, len(v.Platform.Ranks))
	}
	room, classes := make([]float64, m.Columns), m.ByClass()
	for pid := range l.Took {
		if from := m.here(pid); from < m.Columns {
			l.Took[pid] = m.usual(pid, from, classes, room) / v.Learned.Speeds[v.Where[pid]]
		}
	}
	return l
}

// here is the first column in which a process was where it is; Columns if there is none.
func (m *costModel) here(pid int) int { return max(0, m.Columns-m.process(pid).SinceMove) }

// usual is what a process does in a superstep from a column on: the median, which says more than the mean
// where a few supersteps are unlike the others, of each class. room is for as many figures as there are columns.
func (m *costModel) usual(pid, from int, classes [][]int, room []float64) (work float64) {
	for _, columns := range classes {
		list := room[:0]
		for _, c := range columns {
			if c >= from {
				list = append(list, float64(m.Rows[pid][c]))
			}
		}
		if len(list) > 0 {
			work += median(list) * float64(len(list)) / float64(m.Columns-from)
		}
	}
	return work
}

// noise is that of the columns from one on.
func (m *costModel) noise(from int) workNoise {
	n, classes := workNoise{columns: m.Columns - from}, m.ByClass()
	var steps, halves moments
	for pid, row := range m.Rows {
		first := max(from, m.here(pid))
		part := row[first:]
		mean := meanColumn(part)
		if len(part) < 2 || !(mean > 0) {
			continue
		}
		for _, columns := range classes {
			for i, c := range columns {
				if i > 0 && columns[i-1] >= first {
					x := float64(row[c]-row[columns[i-1]]) / mean
					steps.add(x * x / 2)
				}
			}
		}
		half := len(part) / 2
		x := (meanColumn(part[:half]) - meanColumn(part[len(part)-half:])) / mean
		halves.add(x * x / 4)
	}
	if steps.n > 0 {
		n.step = steps.sum / steps.n
	}
	n.drift = max(0, ratioOr(halves.sum, halves.n, 0)-n.step/float64(n.columns))
	return n
}

// variance is that of the logarithm of what a process took in one part of the time over what it took
// in another.
func (n workNoise) variance(o workNoise) float64 {
	return n.step/float64(max(1, n.columns)) + o.step/float64(max(1, o.columns)) + speedDrift*max(n.drift, o.drift)
}

// learnSpeeds returns the speeds of the ranks, and those that are told, after the last moves. Where these tell
// what cannot come from speeds none are told, and the declared ones hold; all is wrong that was learned where they
// refute that, or speeds altogether.
func learnSpeeds(v View, l *LastMoves, heard *speedEvidence) (speeds []float64, told *ToldSpeeds, all bool) {
	was := &l.Before
	declared, ratios := make([]float64, len(was.Speeds)), make([]float64, len(was.Speeds))
	for r := range declared {
		declared[r] = declaredSpeed(v, r)
		ratios[r] = math.Log(declared[r] / was.Speeds[r])
	}
	f := heard.fit(was.Doubts, ratios)
	unlike := l.unlike(v, f)
	if unlike || l.contradicted(heard, f) {
		return declared, nil, unlike || slices.ContainsFunc(was.Doubts, func(doubt float64) bool { return doubt < speedPrior })
	}
	told = &ToldSpeeds{Explained: was.Explained + f.explained, Chance: was.Chance + f.chance}
	for r, x := range f.shift {
		told.Speeds = append(told.Speeds, min(max(was.Speeds[r]*math.Exp(x), declared[r]/learnRange), declared[r]*learnRange))
		told.Doubts = append(told.Doubts, max(speedFloor, 1/(1/was.Doubts[r]+f.surer[r])))
	}
	part := told.believed()
	for r, speed := range declared {
		speed *= math.Pow(told.Speeds[r]/speed, part)
		if known := v.Learned.Speeds[r]; math.Abs(math.Log(speed/known)) < speedNear {
			speed = known // ranks are told of what changes
		}
		speeds = append(speeds, speed)
	}
	return speeds, told, false
}

// contradicted reports whether moves tell what cannot come from speeds: what these do not explain is far more than what
// work differs by at other times, or a rank is far slower or faster than was told; or by more than speedSlow, where nothing was.
func (l *LastMoves) contradicted(heard *speedEvidence, f speedFit) bool {
	for r, x := range f.shift {
		far := speedSlow
		if l.Before.Doubts[r] < speedPrior {
			far = speedWrong * math.Sqrt(l.Before.Doubts[r])
		}
		if math.Abs(x) > far {
			return true
		}
	}
	return f.left > speedUnseen*max(speedFloor, heard.variance)
}

// unlike reports whether processes that did much alike on all ranks at the speeds believed before the moves would have
// done what is far apart: that they did so would be a coincidence.
func (l *LastMoves) unlike(v View, f speedFit) bool {
	where := costReturned(v.Where, l.Moves)
	works := make([]moments, len(f.shift))
	for pid, took := range l.Took {
		if took > 0 {
			works[where[pid]].add(math.Log(took * l.Before.Speeds[where[pid]]))
		}
	}
	var before, after moments
	for rank, of := range works {
		if of.n > 0 {
			before.add(of.sum / of.n)
			after.add(of.sum/of.n + f.shift[rank])
		}
	}
	return after.variance()-4*before.variance() > speedUnlike
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
	if v.Learned != nil && v.Learned.Told != nil {
		return v.Learned.Told.Doubts[rank]
	}
	return speedPrior
}

// speedEvidence is what processes tell of speeds: how much less time than before the moves each takes, beyond what was
// told of where it is.
type speedEvidence struct {
	pairs    []speedPair
	n, moved float64 // processes, and those of them that moved
	variance float64 // of each, as their work says
	chosen   float64 // variance of what those that moved differ by for having been chosen
}

// speedPair is the processes that were on one rank and are on another, or that stayed, wherever that was: both are 0 then.
type speedPair struct {
	from, to int
	told     moments // logarithms
}

// speedFit is what explains evidence best.
type speedFit struct {
	shift         []float64 // by rank, the logarithm of the factor by which it is faster than was told
	weights       []float64 // by rank, of what is told of it beside others
	surer         []float64 // by rank, of what is told of it by itself: what it is compared with is not sure
	explained     float64   // by how much less unlikely this makes what is told than the declared speeds do, and
	chance        float64   // by how much as many would by chance
	trend, chosen float64   // what all tell alike, and those that moved
	left          float64   // variance that is not explained
}

// fit is what explains the evidence best, with the variances of what was told before, from which the declared speeds are
// so far, as logarithms.
func (e *speedEvidence) fit(doubts, declared []float64) speedFit {
	ranks := len(doubts)
	f, without := speedFit{shift: make([]float64, ranks), surer: make([]float64, ranks)}, speedFit{shift: declared}
	variance, free, known := max(speedFloor, e.variance), 0.0, speedKnown*e.variance
	speeds := 0.0 // that something is told of
	for range speedFits {
		f.bringInLine(e, variance, doubts)
		free, speeds = 0, 0
		for r, w := range f.weights {
			if free += w / (w + 1/doubts[r]); w > 0 {
				speeds++
			}
		}
		all, ofMoved := f.squares(e)
		variance = max(speedFloor, (all+known)/(max(0, e.n-1-free)+speedKnown), (ofMoved+known)/(max(0, e.moved-1-free)+speedKnown))
		f.left = all / max(1, e.n-1-free)
	}
	without.bringInLine(e, variance, nil)
	f.explained, f.chance = without.unlikely(e, variance)-f.unlikely(e, variance), free
	for _, at := range e.pairs {
		// As many speeds as there are processes, beside that of one of the ranks, explain whatever these do: that makes none surer.
		if at.from != at.to && e.moved > speeds-1 {
			each := variance / at.told.n
			f.surer[at.to] += 1 / (each + doubts[at.from])
			f.surer[at.from] += 1 / (each + doubts[at.to])
		}
	}
	return f
}

// bringInLine brings speeds, with the variances of what was told before, and trends in line with each other; without
// variances only trends, with the speeds that are.
func (f *speedFit) bringInLine(e *speedEvidence, variance float64, doubts []float64) {
	for far, n := 1.0, 0; n < speedRounds && far > speedNear/10; n++ {
		if far = 0; doubts != nil {
			far = f.bringSpeeds(e, variance, doubts)
		}
		far = max(far, f.bringTrends(e, variance))
	}
}

// bringTrends brings what all processes tell alike, and those that moved, in line with the speeds. It
// returns by how much the one that changed most did.
func (f *speedFit) bringTrends(e *speedEvidence, variance float64) (far float64) {
	sum, sumMoved := 0.0, 0.0
	for i := range e.pairs {
		at := &e.pairs[i]
		x := at.told.sum - at.told.n*(f.shift[at.to]-f.shift[at.from])
		if at.from != at.to {
			sumMoved += x - at.told.n*f.trend
			x -= at.told.n * f.chosen
		}
		sum += x
	}
	trend, chosen := sum/e.n, sumMoved/(e.moved+variance/e.chosen)
	far = max(math.Abs(trend-f.trend), math.Abs(chosen-f.chosen))
	f.trend, f.chosen = trend, chosen
	return far
}

func (f *speedFit) bringSpeeds(e *speedEvidence, variance float64, doubts []float64) (far float64) {
	sums := make([]float64, len(doubts))
	f.weights = make([]float64, len(doubts))
	for i := range e.pairs {
		at := &e.pairs[i]
		if at.from == at.to {
			continue
		}
		w, x := at.told.n/variance, at.told.sum/at.told.n-f.trend-f.chosen
		sums[at.to] += w * (f.shift[at.from] + x)
		sums[at.from] += w * (f.shift[at.to] - x)
		f.weights[at.to] += w
		f.weights[at.from] += w
	}
	for r, doubt := range doubts {
		change := (sums[r]/(f.weights[r]+1/doubt) - f.shift[r]) / 2 // half of the way: pairs do not swing
		f.shift[r] += change
		far = max(far, math.Abs(change))
	}
	return far
}

// unlikely is how unlikely the evidence is but for speeds: the sum of the squares of what these do not explain in units of
// variances.
func (f *speedFit) unlikely(e *speedEvidence, variance float64) float64 {
	all, _ := f.squares(e)
	return all/variance + f.chosen*f.chosen/e.chosen
}

// squares is the sum of the squares of what is not explained, of all processes and of those that moved.
func (f *speedFit) squares(e *speedEvidence) (all, moved float64) {
	for i := range e.pairs {
		at := &e.pairs[i]
		of, x := &at.told, f.trend+f.shift[at.to]-f.shift[at.from]
		if at.from == at.to {
			all += of.squares - 2*x*of.sum + of.n*x*x
			continue
		}
		x += f.chosen
		moved += of.squares - 2*x*of.sum + of.n*x*x
	}
	return all + moved, moved
}

// evidence is what the moves tell; nil where they tell nothing yet, or no more than was known.
func (l *LastMoves) evidence(v View) *speedEvidence {
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
	e := &speedEvidence{variance: noise.variance(l.noise), chosen: max(speedFloor, l.noise.step/float64(max(1, l.noise.columns)))}
	from, pairs := costReturned(v.Where, l.Moves), make(map[[2]int]*speedPair)
	room, classes := make([]float64, m.Columns), m.ByClass()
	least := speedWaits * ratioOr(sumOf(l.Took), float64(len(l.Took)), 0)
	for pid, took := range l.Took {
		if m.here(pid) > first {
			continue
		}
		now := m.usual(pid, first, classes, room) / v.Learned.Speeds[int(v.Where[pid])]
		if took <= least || now <= least {
			continue
		}
		at := speedPair{from: int(from[pid]), to: int(v.Where[pid])}
		if e.n++; at.from == at.to {
			at = speedPair{}
		} else {
			e.moved++
		}
		key := [2]int{at.from, at.to}
		if pairs[key] == nil {
			pairs[key] = &at
		}
		pairs[key].told.add(math.Log(took/now) - math.Log(l.Before.Speeds[at.to]/l.Before.Speeds[at.from]))
	}
	if e.moved == 0 {
		return nil
	}
	for _, key := range slices.SortedFunc(maps.Keys(pairs), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
		e.pairs = append(e.pairs, *pairs[key])
	}
	return e
}

// median sorts a list, which is not empty.
func median(list []float64) float64 {
	slices.Sort(list)
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}

func meanColumn(columns []float32) (mean float64) {
	for _, work := range columns {
		mean += float64(work) / float64(len(columns))
	}
	return mean
}
