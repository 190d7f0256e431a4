package rebalancer

import (
	"maps"
	"math"
	"slices"

	"github.com/migbsp/migbsp/internal/wire"
)

// Ranks' speeds are estimated from the effect of moves. A process took a seconds in a superstep
// on rank f, and takes b on rank t since the moves. Then
//
//	log(a/b) = log(speed(t)/speed(f)) - g - m + e
//
// where g is the growth of all work; m the additional growth of the processes that moved, which
// were chosen by their work; and e random change. The processes that stayed, with f = t,
// determine g. The fit is by least squares. A declared speed has a variance too: speedPrior,
// which falls with each estimate. The variance of e is the residual of the fit, of all processes
// and of the moved ones, combined with the variance of unmoved work between supersteps and
// between the halves of the time. Of the variance that speeds explain, over all moves so far, the
// part beyond speedGate standard deviations of chance is used; later estimates build on the
// complete one.
//
// Each superstep after the last moves improves the estimate, so each call repeats it from the
// state before these moves. If speeds cannot explain the measurements, work depends on the rank
// or changes with moves: the declared speeds apply again, and learning stops if that contradicts
// earlier estimates.

const (
	learnRange = 100.0 // a learned speed stays within this factor of the declared one

	speedPrior  = 0.5 * 0.5   // variance of the logarithm of a declared speed
	speedFloor  = 0.02 * 0.02 // and of a learned one at least
	speedGate   = 1.5         // standard deviations
	speedWaits  = 1.0 / 8     // of the mean work, below which a process waits for its turn, as behind the front of a wave
	speedDrift  = 12.0        // factor from the drift between the halves of the time to the variance of work
	speedKnown  = 4.0         // weight of the known variance of work, in processes
	speedUnseen = 100.0       // factor on that variance; a larger residual means that work changes with moves
	speedWrong  = 3.5         // standard deviations; a learned speed further away is invalid
	speedSlow   = 3.2         // logarithm; ranks with much else on them are so slow
	speedUnlike = 0.5         // variance of the logarithm of work that was alike
	speedNear   = 0.005       // logarithm; less is not worth telling
	speedFar    = 0.1         // logarithm; so much makes another mapping the best
	speedRounds = 300         // maximum number of iterations of the speeds of all ranks
	speedFits   = 3           // number of fits, which alternate between speeds and the variance
)

// ToldSpeeds holds the ranks' speeds as estimated from moves, before the test against chance.
type ToldSpeeds struct {
	Speeds    wire.Runs // by rank
	Doubts    wire.Runs // by rank, variances of the logarithms of these
	Explained float64   // decrease of the sum of squares compared with the declared speeds, and
	Chance    float64   // the decrease expected by chance
}

// believed returns the part of the difference from the declared speeds that chance does not explain.
func (t *ToldSpeeds) believed() float64 {
	chance := t.Chance + speedGate*math.Sqrt(2*t.Chance)
	if !(t.Explained > chance) {
		return 0
	}
	return 1 - chance/t.Explained
}

// LastMoves holds the moves of a call and the figures known before them.
type LastMoves struct {
	Step   int
	Moves  []Move
	Before ToldSpeeds
	Took   []float64 // by process, seconds of a superstep where it was; 0 if not known
	noise  workNoise
	told   bool
}

// workNoise is the random variation of a process's work, relative to its mean.
type workNoise struct {
	columns int     // supersteps it is known of
	step    float64 // variance from superstep to superstep
	drift   float64 // variance between the halves of the time, beyond the effect of step
}

// lastMoves returns the present figures, from which speeds are learned after the moves.
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

// here returns the first column of a process on its present rank; Columns if there is none.
func (m *costModel) here(pid int) int { return max(0, m.Columns-m.process(pid).SinceMove) }

// usual returns the work of a process in a superstep since a column: the mean over classes of the
// median, which is robust to a few outliers. room is a buffer for Columns figures.
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

// noise returns the noise of the columns since one.
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

// variance returns the variance of the logarithm of the ratio of a process's work in two parts of the
// time.
func (n workNoise) variance(o workNoise) float64 {
	return n.step/float64(max(1, n.columns)) + o.step/float64(max(1, o.columns)) + speedDrift*max(n.drift, o.drift)
}

// learnSpeeds returns the ranks' speeds and the estimate after the last moves. If speeds cannot
// explain the measurements, the estimate is nil and the declared speeds apply; all reports
// whether this also invalidates earlier estimates, or learning of speeds altogether.
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
			speed = known // only changes are sent to ranks
		}
		speeds = append(speeds, speed)
	}
	return speeds, told, false
}

// contradicted reports whether rank speeds cannot explain the work measured after the moves: the
// residual variance far exceeds the usual variance, or a fitted speed is far outside its prior;
// without earlier estimates the limit is speedSlow.
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

// unlike reports whether the fitted speeds make the work before the moves far more uneven between
// ranks than the speeds used then: the earlier balance would be a coincidence.
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

// declaredSpeed returns the declared speed of a rank; 1 if it is not known.
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

// speedEvidence holds the measured changes of process times since the moves, beyond the effect of
// the earlier estimates.
type speedEvidence struct {
	pairs    []speedPair
	n, moved float64 // number of processes, and number of moved processes
	variance float64 // of the work of each
	chosen   float64 // additional variance of the moved processes, which were chosen by their work
}

// speedPair holds the processes that moved from one rank to another, or with both 0 all processes
// that stayed.
type speedPair struct {
	from, to int
	told     moments // logarithms
}

// speedFit is the best fit to the evidence.
type speedFit struct {
	shift         []float64 // by rank, the logarithm of the correction of its speed
	weights       []float64 // by rank, of the evidence given the speeds of the others
	surer         []float64 // by rank, of the evidence alone, with the uncertainty of the other speeds
	explained     float64   // decrease of the sum of squares compared with the declared speeds, and
	chance        float64   // the decrease expected by chance
	trend, chosen float64   // common change of all processes, and of the moved ones
	left          float64   // variance that is not explained
}

// fit returns the best fit to the evidence. doubts are the variances of the earlier estimates,
// and declared the logarithms of the declared speeds relative to them.
func (e *speedEvidence) fit(doubts, declared []float64) speedFit {
	ranks := len(doubts)
	f, without := speedFit{shift: make([]float64, ranks), surer: make([]float64, ranks)}, speedFit{shift: declared}
	variance, free, known := max(speedFloor, e.variance), 0.0, speedKnown*e.variance
	speeds := 0.0 // ranks with evidence
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
		// With as many speeds as moved processes the fit explains any data, so it adds no certainty.
		if at.from != at.to && e.moved > speeds-1 {
			each := variance / at.told.n
			f.surer[at.to] += 1 / (each + doubts[at.from])
			f.surer[at.from] += 1 / (each + doubts[at.to])
		}
	}
	return f
}

// bringInLine iterates speeds and trends until they are consistent. doubts are the variances of
// the earlier estimates; if nil, it fits only the trends to the present speeds.
func (f *speedFit) bringInLine(e *speedEvidence, variance float64, doubts []float64) {
	for far, n := 1.0, 0; n < speedRounds && far > speedNear/10; n++ {
		if far = 0; doubts != nil {
			far = f.bringSpeeds(e, variance, doubts)
		}
		far = max(far, f.bringTrends(e, variance))
	}
}

// bringTrends fits the common change of all processes and of the moved ones to the speeds. It
// returns the largest change.
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
		change := (sums[r]/(f.weights[r]+1/doubt) - f.shift[r]) / 2 // half of the step, to damp oscillation
		f.shift[r] += change
		far = max(far, math.Abs(change))
	}
	return far
}

// unlikely returns the sum of the squared residuals in units of their variances.
func (f *speedFit) unlikely(e *speedEvidence, variance float64) float64 {
	all, _ := f.squares(e)
	return all/variance + f.chosen*f.chosen/e.chosen
}

// squares returns the sum of the squared residuals, of all processes and of the moved ones.
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

// evidence returns the evidence of the moves; nil if there is none yet, or none beyond the earlier
// evidence.
func (l *LastMoves) evidence(v View) *speedEvidence {
	m := newCostModel(v)
	first := m.Columns - (v.Snapshot.Step - l.Step)
	if l.told && first < 0 || v.Snapshot.Step <= l.Step || len(l.Took) != len(v.Where) {
		return nil // the measurements right after the moves are better
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
