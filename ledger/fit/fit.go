// Package fit fits the parameters of the BSP cost model to a run's own supersteps.
//
// A superstep's y is the time from the end of its longest work to the next one. The model is
//
//	y = L + Latency*(1 with messages, else 0) + sum of g*h over the classes of links
//
// with no negative parameter. Noise grows with y, roughly as its square root between the jitter of a
// timer and the collisions of a network; so the squares of the residuals are weighted with 1/y as
// predicted. With these weights the fitted times add up to the measured ones: shares of the time are
// shares. Supersteps that took far longer than others of their kind, for instance because another
// program had the core, weigh less (Huber's weights); their excess belongs to neither g nor l but is
// unexplained.
//
// Memory is bounded, and a superstep does not allocate: for each octave of bytes, Course keeps a
// sample of the supersteps, drawn evenly over the run.
package fit

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"
)

// octaveSample is the number of supersteps that are kept of an octave.
const octaveSample = 48

// Course is a sample of a run's supersteps.
type Course struct {
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
	x     Values
	y     float64
	count float64
}

// Ways is the number of link classes: see ledger.Way.
const Ways = 4

// The parameters in the order of Values.
const (
	L = iota
	Latency
	G     // of the first class
	Count = G + Ways
)

// Values contains a figure for each parameter.
type Values [Count]float64

// Set is some of the parameters.
type Set [Count]bool

// Take adds count supersteps that ended at one source position: their total time after work, the
// number of them in which a process sent a message, and the bytes by link class.
func (c *Course) Take(count int, took time.Duration, talks int, ways *[Ways]int64) {
	all := uint64(0)
	for _, h := range ways {
		all += uint64(h)
	}
	n := float64(count)
	if count > 1 {
		all /= uint64(count)
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
		hi, _ := bits.Mul64(c.random, uint64(o.seen))
		if hi >= octaveSample {
			return
		}
		i = int(hi)
	}
	p := &o.kept[i]
	p.count, p.y = n, took.Seconds()/n
	p.x[L], p.x[Latency] = 1, float64(talks)/n
	for way, h := range ways {
		p.x[G+way] = float64(h) / n
	}
}

// points returns the kept supersteps, with counts that represent all supersteps but add up to the
// number of points.
func (c *Course) points() (all []point, supersteps int) {
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

// leastFitted is the smallest number of supersteps that a model is fitted to.
const leastFitted = 12

// Model contains the parameters with their standard errors from the supersteps alone, infinite for
// parameters that the supersteps cannot separate.
type Model struct {
	Value, Alone Values
	Known        Set // by the supersteps alone
	Used         Set
	R2           float64 // part of the differences between supersteps that the model explains
	Supersteps   int
}

// priorDoubt is the relative standard error of separately measured values. They come from another
// time and other messages, and give the order of magnitude.
const priorDoubt = 0.5

// Huber's weights begin to fall at this many standard deviations.
const huber = 2.0

// Fit estimates the parameters that are not in without. It returns nil if the supersteps are too few.
// before contains separately measured values; 0 is unmeasured.
func (c *Course) Fit(before Values, without Set) *Model {
	points, n := c.points()
	if len(points) < leastFitted {
		return nil
	}
	f := &Model{Supersteps: n}
	for _, p := range points {
		for j, x := range p.x {
			f.Used[j] = f.Used[j] || x > 0 && !without[j]
		}
	}
	if !slices.ContainsFunc(points, func(p point) bool { return p.x[Latency] != p.x[L] }) {
		f.Used[Latency] = before[Latency] > 0 // else it is part of L
	}
	predicted := make([]float64, len(points))
	floor := floorOf(points)
	for i := range points {
		predicted[i] = max(points[i].y, floor)
	}
	calm := slices.Repeat([]float64{1}, len(points))
	var m normal
	for range 40 {
		spread := spreadOf(points, predicted, calm)
		m = normalOf(points, predicted, calm, f.Used)
		was := f.Value
		f.Value = m.with(before, spread).solve()
		for i := range points {
			predicted[i] = max(points[i].at(&f.Value), floor)
			residual := math.Abs(points[i].y-predicted[i]) / math.Sqrt(predicted[i])
			calm[i] = 1
			if residual > huber*spread && spread > 0 {
				calm[i] = huber * spread / residual
			}
		}
		if closeTo(was, f.Value) {
			break
		}
	}
	f.judge(points, predicted, calm, m)
	return f
}

// at is the model's time of a superstep like p.
func (p *point) at(value *Values) float64 {
	sum := 0.0
	for j, x := range p.x {
		sum += x * value[j]
	}
	return sum
}

// floorOf returns the time below which differences are the clock's.
func floorOf(points []point) float64 {
	times := make([]float64, len(points))
	for i := range points {
		times[i] = points[i].y
	}
	slices.Sort(times)
	return max(times[len(times)/2]/100, 1e-9)
}

// spreadOf returns the standard deviation of the weighted residuals, by the half of them
// nearest to 0.
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
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(residuals[a], residuals[b]) })
	sum := 0.0
	for _, i := range order {
		if sum += points[i].count; sum >= total/2 {
			return 1.4826 * residuals[i]
		}
	}
	return 0
}

// closeTo reports whether two sets of parameters are the same but for rounding.
func closeTo(a, b Values) bool {
	for j := range a {
		if math.Abs(a[j]-b[j]) > 1e-6*max(math.Abs(a[j]), math.Abs(b[j])) {
			return false
		}
	}
	return true
}

// A parameter counts as determined by the supersteps up to the relative error knownWithin. A
// parameter whose share of all time is below knownShare does not matter.
const (
	knownWithin = 0.25
	knownShare  = 0.01
)

// evident is the number of standard errors by which a parameter has to exceed 0. Below it the
// parameter may be 0, and is not shown.
const evident = 2

// Evident reports whether the supersteps alone show that a parameter is more than 0.
func (f *Model) Evident(j int) bool { return f.Value[j] > evident*f.Alone[j] }

// judge finds which parameters the supersteps alone determine.
func (f *Model) judge(points []point, predicted, calm []float64, m normal) {
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
		f.R2 = max(0, 1-rest/spreadAll)
	}
	for j := range f.Value {
		f.Alone[j] = math.Inf(1)
		if !f.Used[j] {
			continue
		}
		f.Alone[j] = spread * math.Sqrt(max(0, inverse[j][j]))
		takes := 0.0
		for _, p := range points {
			takes += p.count * p.x[j]
		}
		f.Known[j] = f.Alone[j] <= knownWithin*f.Value[j] || (f.Value[j]+2*f.Alone[j])*takes <= knownShare*all
	}
}

// normal is the normal equations of a weighted fit. Columns are scaled to a mean of 1.
type normal struct {
	matrix [Count]Values
	right  Values
	scale  Values
	used   Set
}

func normalOf(points []point, predicted, calm []float64, used Set) normal {
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

// with adds separately measured values, whose residuals have the given spread.
func (m normal) with(before Values, spread float64) normal {
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

// solve finds the parameters, none of them negative: of all sets of positive parameters the
// one with the smallest sum of squares.
func (m normal) solve() (best Values) {
	least := 0.0
	for chosen := 1; chosen < 1<<Count; chosen++ {
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

// singular is the pivot below which columns are the same but for rounding.
const singular = 1e-8

// solveFor solves for the chosen parameters; all others are 0. It is not ok if a chosen
// parameter is not used, if columns of two are the same, or if a parameter is negative.
func (m *normal) solveFor(chosen int) (values Values, ok bool) {
	a, b := m.matrix, m.right
	for j := range Count {
		if chosen>>j&1 == 0 {
			continue
		}
		if !m.used[j] || a[j][j] <= singular*m.matrix[j][j] {
			return values, false
		}
		for k := range Count {
			if k == j || chosen>>k&1 == 0 {
				continue
			}
			factor := a[k][j] / a[j][j]
			for l := range Count {
				a[k][l] -= factor * a[j][l]
			}
			b[k] -= factor * b[j]
		}
	}
	for j := range Count {
		if chosen>>j&1 != 0 {
			if values[j] = b[j] / a[j][j]; values[j] < 0 {
				return values, false
			}
		}
	}
	return values, true
}

// inverse inverts the matrix for the used parameters in their own units. Parameters whose
// columns depend on each other have very large variances.
func (m *normal) inverse() (inverse [Count]Values) {
	a := m.matrix
	for j := range a {
		a[j][j] *= 1 + singular
	}
	for j := range Count {
		inverse[j][j] = 1
	}
	for j := range Count {
		if !m.used[j] {
			continue
		}
		pivot := max(a[j][j], singular/2*m.matrix[j][j])
		for l := range Count {
			a[j][l] /= pivot
			inverse[j][l] /= pivot
		}
		for k := range Count {
			if k == j || !m.used[k] {
				continue
			}
			factor := a[k][j]
			for l := range Count {
				a[k][l] -= factor * a[j][l]
				inverse[k][l] -= factor * inverse[j][l]
			}
		}
	}
	for j := range Count {
		for k := range Count {
			inverse[j][k] /= m.scale[j] * m.scale[k]
		}
	}
	return inverse
}
