package ledger

import (
	"math"
	"math/bits"
	"slices"
)

// This file fits the parameters of the cost model to a run's own supersteps.
//
// A superstep's y is the time from the end of its longest work to the next one (Ended). The
// model is
//
//	y = L + Latency*(anything was sent) + sum over the ways of g*h
//
// with no negative parameter. Noise grows with y, roughly as its square root does between
// the jitter of a timer and the collisions of a network; so the squares of the residuals
// are weighted with 1/y as predicted. With these weights the fitted times add up to those
// measured: shares of the time are shares. Supersteps that took far longer than others of
// their kind, as when the system gave a core to somebody else, weigh less (Huber's
// weights), and what they took is not g's or l's but unexplained.
//
// Memory is bounded and nothing is allocated for a superstep: of those with about as many
// bytes (an octave) a sample is kept, drawn evenly over the run.

// octaveSample is the number of supersteps that are kept of an octave.
const octaveSample = 48

// course is a sample of a run's supersteps.
type course struct {
	octaves [65]*octave // by the bits of the number of bytes
	random  uint64
}

// octave is a sample of supersteps with about as many bytes.
type octave struct {
	seen  int     // entries
	count float64 // supersteps in these
	kept  []point
}

// point is the mean of some supersteps.
type point struct {
	x     [parameters]float64
	y     float64
	count float64
}

// The parameters in the order of point.x.
const (
	paramL = iota
	paramLatency
	paramG     // of the first way
	parameters = paramG + Ways
)

// take enters supersteps, which it does not keep.
func (c *course) take(s *Step) {
	all := uint64(0)
	for _, h := range s.Ways {
		all += uint64(h)
	}
	n := float64(s.Count)
	if s.Count > 1 {
		all /= uint64(s.Count)
	}
	at := bits.Len64(all)
	o := c.octaves[at]
	if o == nil {
		o = &octave{kept: make([]point, 0, octaveSample)}
		c.octaves[at] = o
	}
	o.seen++
	o.count += n
	i := len(o.kept)
	if i < octaveSample {
		o.kept = o.kept[:i+1]
	} else {
		c.random = c.random*6364136223846793005 + 1442695040888963407 // Knuth's generator
		if hi, _ := bits.Mul64(c.random, uint64(o.seen)); hi < octaveSample {
			i = int(hi)
		} else {
			return
		}
	}
	p := &o.kept[i]
	p.count, p.y = n, s.Ended().Seconds()/n
	p.x[paramL], p.x[paramLatency] = 1, float64(s.Talks)/n
	for way, h := range s.Ways {
		p.x[paramG+way] = float64(h) / n
	}
}

// points are what is kept, with counts such that they stand for all supersteps but add
// up to the number of points.
func (c *course) points() (all []point, supersteps int) {
	n := 0.0
	for _, o := range c.octaves {
		if o == nil {
			continue
		}
		kept := 0.0
		for i := range o.kept {
			kept += o.kept[i].count
		}
		for _, p := range o.kept {
			p.count *= o.count / kept
			all = append(all, p)
		}
		n += o.count
	}
	for i := range all {
		all[i].count *= float64(len(all)) / n
	}
	return all, int(n)
}

// leastFitted is the number of supersteps below which nothing is fitted.
const leastFitted = 12

// fitted is a model with the standard errors that the supersteps alone give its
// parameters, infinite where they do not tell these apart.
type fitted struct {
	value, alone [parameters]float64
	known        [parameters]bool // by the supersteps alone
	used         [parameters]bool
	r2           float64
	supersteps   int
}

// prior is what is known of the parameters beside the supersteps; 0 is nothing.
type prior [parameters]float64

// priorDoubt is the standard error of a prior, relative to it: what was measured for
// itself, at another time and with other messages, gives the order of magnitude.
const priorDoubt = 0.5

// Huber's weights begin to fall at so many standard deviations.
const huber = 2.0

// fit finds the parameters that are not left out, nil if there are too few supersteps.
func (c *course) fit(before prior, without [parameters]bool) *fitted {
	points, n := c.points()
	if len(points) < leastFitted {
		return nil
	}
	f := &fitted{supersteps: n}
	for _, p := range points {
		for j, x := range p.x {
			f.used[j] = f.used[j] || x > 0 && !without[j]
		}
	}
	if !slices.ContainsFunc(points, func(p point) bool { return p.x[paramLatency] != p.x[paramL] }) {
		f.used[paramLatency] = before[paramLatency] > 0 // else it is part of L
	}
	predicted := make([]float64, len(points))
	floor := floorOf(points)
	for i := range points {
		predicted[i] = max(points[i].y, floor)
	}
	calm := make([]float64, len(points))
	for i := range calm {
		calm[i] = 1
	}
	var m normal
	for range 40 {
		spread := spreadOf(points, predicted, calm)
		m = normalOf(points, predicted, calm, f.used)
		was := f.value
		f.value = m.with(before, spread).solve()
		for i := range points {
			predicted[i] = max(points[i].at(&f.value), floor)
			residual := math.Abs(points[i].y-predicted[i]) / math.Sqrt(predicted[i])
			calm[i] = 1
			if residual > huber*spread && spread > 0 {
				calm[i] = huber * spread / residual
			}
		}
		if closeTo(was, f.value) {
			break
		}
	}
	f.judge(points, predicted, calm, m)
	return f
}

// at is the model's time of a superstep like p.
func (p *point) at(value *[parameters]float64) float64 {
	sum := 0.0
	for j, x := range p.x {
		sum += x * value[j]
	}
	return sum
}

// floorOf is the time below which differences are those of the clock.
func floorOf(points []point) float64 {
	times := make([]float64, len(points))
	for i := range points {
		times[i] = points[i].y
	}
	slices.Sort(times)
	return max(times[len(times)/2]/100, 1e-9)
}

// spreadOf is the standard deviation of the weighted residuals, as far as half of them
// tell it.
func spreadOf(points []point, predicted, calm []float64) float64 {
	residuals := make([]float64, len(points))
	for i := range points {
		residuals[i] = math.Abs(points[i].y-predicted[i]) / math.Sqrt(predicted[i])
	}
	order := make([]int, len(points))
	total := 0.0
	for i := range order {
		order[i] = i
		total += points[i].count
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case residuals[a] < residuals[b]:
			return -1
		case residuals[a] > residuals[b]:
			return 1
		}
		return 0
	})
	sum := 0.0
	for _, i := range order {
		if sum += points[i].count; sum >= total/2 {
			return 1.4826 * residuals[i]
		}
	}
	return 0
}

// closeTo reports whether two sets of parameters are the same but for rounding.
func closeTo(a, b [parameters]float64) bool {
	for j := range a {
		if math.Abs(a[j]-b[j]) > 1e-6*max(math.Abs(a[j]), math.Abs(b[j])) {
			return false
		}
	}
	return true
}

// knownWithin is the relative error up to which supersteps count as telling a parameter,
// and knownShare the part of all time below which it does not matter.
const (
	knownWithin = 0.25
	knownShare  = 0.01
)

// evident is the number of standard errors by which a parameter has to exceed 0: with fewer
// there is no evidence that it is any more, and no figure.
const evident = 2

// evidence reports whether the supersteps alone show that a parameter is more than 0.
func (f *fitted) evidence(j int) bool { return f.value[j] > evident*f.alone[j] }

// judge finds out what the supersteps alone say.
func (f *fitted) judge(points []point, predicted, calm []float64, m normal) {
	spread := spreadOf(points, predicted, calm)
	inverse := m.inverse()
	mean, weight, all := 0.0, 0.0, 0.0
	for i, p := range points {
		w := p.count * calm[i] / predicted[i]
		mean += w * p.y
		weight += w
		all += p.count * p.y
	}
	mean /= weight
	rest, spreadAll := 0.0, 0.0
	for i, p := range points {
		w := p.count * calm[i] / predicted[i]
		rest += w * (p.y - predicted[i]) * (p.y - predicted[i])
		spreadAll += w * (p.y - mean) * (p.y - mean)
	}
	if spreadAll > 0 {
		f.r2 = max(0, 1-rest/spreadAll)
	}
	for j := range f.value {
		f.alone[j] = math.Inf(1)
		if !f.used[j] {
			continue
		}
		f.alone[j] = spread * math.Sqrt(max(0, inverse[j][j]))
		takes := 0.0
		for _, p := range points {
			takes += p.count * p.x[j]
		}
		f.known[j] = f.alone[j] <= knownWithin*f.value[j] || (f.value[j]+2*f.alone[j])*takes <= knownShare*all
	}
}

// normal are the normal equations of a weighted fit. Columns are scaled to a mean of 1.
type normal struct {
	matrix [parameters][parameters]float64
	right  [parameters]float64
	scale  [parameters]float64
	used   [parameters]bool
}

func normalOf(points []point, predicted, calm []float64, used [parameters]bool) normal {
	m := normal{used: used}
	total := 0.0
	for i := range points {
		total += points[i].count
		for j, x := range points[i].x {
			m.scale[j] += points[i].count * x
		}
	}
	for j := range m.scale {
		m.scale[j] = max(m.scale[j]/total, math.SmallestNonzeroFloat32)
	}
	for i := range points {
		p := &points[i]
		w := p.count * calm[i] / predicted[i]
		for j, x := range p.x {
			x /= m.scale[j]
			m.right[j] += w * x * p.y
			for k, z := range p.x {
				m.matrix[j][k] += w * x * z / m.scale[k]
			}
		}
	}
	return m
}

// with adds what is known beside the supersteps, whose residuals have that spread.
func (m normal) with(before prior, spread float64) normal {
	for j, value := range before {
		if value <= 0 || !m.used[j] {
			continue
		}
		scaled := value * m.scale[j]
		weight := spread * spread / (priorDoubt * scaled * priorDoubt * scaled)
		m.matrix[j][j] += weight
		m.right[j] += weight * scaled
	}
	return m
}

// solve finds the parameters, none of them negative: of all choices of those that are
// above 0 the one with the smallest sum of squares.
func (m normal) solve() (best [parameters]float64) {
	least := 0.0
	for chosen := 1; chosen < 1<<parameters; chosen++ {
		if !m.allows(chosen) {
			continue
		}
		values, ok := m.solveFor(chosen)
		if !ok {
			continue
		}
		sum := 0.0 // less the sum of the squares of y
		for j, v := range values {
			sum -= v * m.right[j]
		}
		if sum < least {
			least = sum
			for j := range best {
				best[j] = values[j] / m.scale[j]
			}
		}
	}
	return best
}

// allows reports whether the chosen parameters are all used.
func (m *normal) allows(chosen int) bool {
	for j, used := range m.used {
		if !used && chosen>>j&1 != 0 {
			return false
		}
	}
	return true
}

// singular is the pivot below which columns are the same but for rounding.
const singular = 1e-8

// solveFor solves for the chosen parameters, the others being 0. It is not ok if these
// columns are the same, or a parameter comes out negative.
func (m *normal) solveFor(chosen int) (values [parameters]float64, ok bool) {
	a, b := m.matrix, m.right
	for j := range parameters {
		if chosen>>j&1 == 0 {
			continue
		}
		if a[j][j] <= singular*m.matrix[j][j] {
			return values, false
		}
		for k := range parameters {
			if k == j || chosen>>k&1 == 0 {
				continue
			}
			factor := a[k][j] / a[j][j]
			for l := range parameters {
				a[k][l] -= factor * a[j][l]
			}
			b[k] -= factor * b[j]
		}
	}
	for j := range parameters {
		if chosen>>j&1 != 0 {
			if values[j] = b[j] / a[j][j]; values[j] < 0 {
				return values, false
			}
		}
	}
	return values, true
}

// inverse is that of the matrix, for the used parameters in their own units. Those whose
// columns are not independent of each other have very large variances.
func (m *normal) inverse() (inverse [parameters][parameters]float64) {
	a := m.matrix
	for j := range a {
		a[j][j] *= 1 + singular
	}
	for j := range parameters {
		inverse[j][j] = 1
	}
	for j := range parameters {
		if !m.used[j] {
			continue
		}
		pivot := max(a[j][j], singular/2*m.matrix[j][j])
		for l := range parameters {
			a[j][l] /= pivot
			inverse[j][l] /= pivot
		}
		for k := range parameters {
			if k == j || !m.used[k] {
				continue
			}
			factor := a[k][j]
			for l := range parameters {
				a[k][l] -= factor * a[j][l]
				inverse[k][l] -= factor * inverse[j][l]
			}
		}
	}
	for j := range parameters {
		for k := range parameters {
			inverse[j][k] /= m.scale[j] * m.scale[k]
		}
	}
	return inverse
}

// Unknown is what the supersteps of a run do not say of its Machine.
type Unknown struct {
	Barrier bool       // L and Latency
	Ways    [Ways]bool // g of these, which were used
}

// Any reports whether there is something.
func (u Unknown) Any() bool { return u != Unknown{} }

// Unknown returns what has to be measured for a Machine of the run so far.
func (a *Account) Unknown() (u Unknown) {
	f := a.course.fit(prior{}, [parameters]bool{})
	for way, h := range a.whole.Ways {
		u.Ways[way] = h > 0 && way != int(WithinRank) && (f == nil || !f.known[paramG+way])
	}
	u.Barrier = f == nil || !f.known[paramL] || f.used[paramLatency] && !f.known[paramLatency]
	return u
}

// Fit sets the Machine to what the run's supersteps say, and for what they do not say, to
// what was measured, nil if nothing was. A parameter that neither shows to be more than 0 is
// left out: what it may have taken is another's, or unexplained.
func (a *Account) Fit(measured *Machine) {
	if measured == nil {
		measured = &Machine{}
	}
	before := prior{paramL: measured.L, paramLatency: measured.Latency}
	for _, c := range measured.Classes {
		before[paramG+int(c.Way)] = c.PerByte
	}
	alone := a.course.fit(prior{}, [parameters]bool{})
	var without [parameters]bool
	nothing := true
	for j := range without {
		without[j] = before[j] <= 0 && (alone == nil || !alone.evidence(j))
		nothing = nothing && without[j]
	}
	if alone == nil || nothing {
		a.Machine = nil
		if measured.From != "" {
			a.Machine = measured
		}
		return
	}
	f := a.course.fit(before, without)
	from := func(j int) string {
		if alone.known[j] || before[j] == 0 {
			return FromRun
		}
		return FromMeasuring
	}
	m := &Machine{L: f.value[paramL], Latency: f.value[paramLatency], From: from(paramL), R2: f.r2, Supersteps: f.supersteps}
	m.LError = finiteOr(alone.alone[paramL], 0)
	bytes, seconds := 0.0, 0.0
	for way, h := range a.whole.Ways {
		if h == 0 || without[paramG+way] {
			continue
		}
		c := LinkClass{Way: Way(way), PerByte: f.value[paramG+way], Error: finiteOr(alone.alone[paramG+way], 0), From: from(paramG + way)}
		m.Classes = append(m.Classes, c)
		if c.From != m.From {
			m.From = FromRun + " and " + FromMeasuring
		}
		if c.Way != WithinRank {
			bytes += float64(h)
			seconds += float64(h) * c.PerByte
		}
	}
	if bytes > 0 {
		m.PerByte = seconds / bytes
	}
	a.Machine = m
}

// finiteOr is x, or other if that is no number.
func finiteOr(x, other float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return other
	}
	return x
}
