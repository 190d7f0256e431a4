package rebalancer

import "math"

// Sampled supersteps and their weights.
//
// The computing time of each superstep since the last call is known (StepSpread.Wall), but its
// time under the initial mapping only for the samples. Each superstep is represented by the
// samples of about the same length, within alikeFactor, or else by the nearest one: its time
// under the initial mapping is theirs together, in proportion. So each kind of superstep has its
// actual weight regardless of the choice of samples, and the time of the run itself is exact.

// auditSamples is the maximum number of supersteps kept per rank. At that number one in
// auditThin of each class stays, chosen without a period, and later supersteps are kept at
// the lower rate. Half as many samples make the estimate's error larger by about a half.
const (
	auditSamples = 27
	auditThin    = 3
)

const (
	alikeFactor  = 1.25
	strangeDoubt = 0.5 // relative error of the estimate for supersteps that resemble no sample
)

// sampled are samples of the supersteps since the last call.
type sampled struct {
	lengths []float64 // seconds of computing
	weights []float64 // in the mean over all supersteps
	strange float64   // the part of the mean length from supersteps that resemble no sample
}

// sampled returns the samples of the audits, weighted to represent all supersteps; if their
// lengths are not known, all weights are equal.
func (v *View) sampled() sampled {
	samples := 0
	for i := range v.Snapshot.Audits {
		samples = max(samples, len(v.Snapshot.Audits[i].Wall))
	}
	d := sampled{lengths: make([]float64, samples), weights: make([]float64, samples)}
	for i := range v.Snapshot.Audits {
		if u := &v.Snapshot.Audits[i]; len(u.Wall) == samples {
			for s, wall := range u.Wall {
				d.lengths[s] = max(d.lengths[s], float64(wall))
			}
		}
	}
	list, steps := make([]int, samples), 0
	for _, step := range v.Snapshot.Spreads {
		seconds := float64(step.Steps) * step.Wall
		like, near := d.alike(list, step.Wall, -1)
		part := ratioOr(seconds, d.sum(d.lengths, like), 0)
		for _, s := range like {
			d.weights[s] += part
		}
		if !near {
			d.strange += seconds
		}
		steps += step.Steps
	}
	if sumOf(d.weights) == 0 {
		for s := range d.weights {
			d.weights[s] = 1
		}
		d.strange, steps = 0, samples
	}
	for s := range d.weights {
		d.weights[s] /= float64(steps)
	}
	d.strange /= float64(steps)
	return d
}

// alike returns the samples, except sample but, that were about as long as a superstep, or else
// the nearest one. It reuses list.
func (d *sampled) alike(list []int, length float64, but int) (like []int, near bool) {
	like = list[:0]
	nearest, least := -1, math.Inf(1)
	for s, other := range d.lengths {
		switch {
		case s == but || !(other > 0):
		case other <= alikeFactor*length && length <= alikeFactor*other:
			like = append(like, s)
		case len(like) == 0:
			if factor := max(other, length) / min(other, length); factor < least {
				nearest, least = s, factor
			}
		}
	}
	if near = len(like) > 0; !near && nearest >= 0 {
		like = append(like, nearest)
	}
	return like, near
}

func (d *sampled) sum(values []float64, of []int) (sum float64) {
	for _, s := range of {
		sum += values[s]
	}
	return sum
}

// mean returns the weighted mean of the samples' values: the estimate for all supersteps.
func (d *sampled) mean(values []float64) (mean float64) { return d.part(values, 0, len(values)) }

// part returns the contribution of some of the samples to the mean.
func (d *sampled) part(values []float64, from, to int) (part float64) {
	for s := from; s < to; s++ {
		part += d.weights[s] * values[s]
	}
	return part
}

// lasting is how many samples in a row stand for so many seconds of all that the supersteps took: at least two, to have
// some of each kind.
func (d *sampled) lasting(seconds, all float64) int {
	return max(2, int(math.Ceil(float64(len(d.lengths))*ratioOr(seconds, all, 1))))
}

// doubt returns twice the standard error of the mean over steps supersteps. The error of a sample
// is its distance from the estimate that the other samples give for it. A sample that resembles
// no other has no such estimate; it also represents other supersteps, which may be half as long
// or half as long again.
func (d *sampled) doubt(values []float64, steps int) float64 {
	if len(d.lengths) >= steps {
		return 0
	}
	list, squares := make([]int, len(d.lengths)), 0.0
	for s, length := range d.lengths {
		like, near := d.alike(list, length, s)
		off := strangeDoubt * max(0, d.weights[s]-1/float64(steps)) * max(values[s], length)
		if near {
			off = d.weights[s] * (values[s] - length*ratioOr(d.sum(values, like), d.sum(d.lengths, like), 0))
		}
		squares += off * off
	}
	left := 1 - float64(len(d.lengths))/float64(steps) // of the supersteps
	return 2*math.Sqrt(squares*left) + strangeDoubt*d.strange
}

// draw is a superstep: the so-manieth of its class since the last call.
type draw struct{ class, nth int }

// stays reports whether this sample is the one kept of each stride of its class.
func (d draw) stays(stride int) bool {
	for of := auditThin; of <= stride; of *= auditThin {
		if d.nth/(of/auditThin)%auditThin != d.pick(of) {
			return false
		}
	}
	return true
}

// pick is which of auditThin samples is kept, in its part of so many supersteps.
func (d draw) pick(stride int) int {
	x := (uint64(d.nth/stride)+1)*0x9E3779B97F4A7C15 + uint64(stride)*0xBF58476D1CE4E5B9 + uint64(d.class)*0xD6E8FEB86659FD93
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return int((x ^ x>>31) % auditThin)
}
