package second

import (
	"math"
	"slices"

	"github.com/migbsp/migbsp/sim"
)

// draft is a load before it is built.
type draft struct {
	r      source
	m      *machine
	procs  int
	stages int
	work   [][]float64 // by stage and process, before scaling
}

// leastSteps is the minimum number of supersteps.
const leastSteps = 4

// Limits of the cost of simulating a case: entries of work in all supersteps, and squares of the
// number of messages of a superstep, because messages at the same time share links.
const (
	mostWork    = 300_000
	mostSharing = 8e7
)

// mostMessages limits the messages of a superstep in patterns whose degree is random.
const mostMessages = 1500

func newDraft(r source, m *machine, procs int) *draft {
	return &draft{r: r, m: m, procs: max(2, procs)}
}

// load draws the load: classes and messages, then as many stages as the limits allow, then work.
func (d *draft) load(s shape, p pattern) *load {
	classes := d.classes()
	talk := p.draw(d)
	messages, sharing := 0, 1.0
	for _, c := range classes {
		sent := 0
		switch {
		case c.reduce:
			sent = d.procs - 1
		case c.talks:
			sent = talk.most()
		}
		messages += sent
		sharing += float64(sent) * float64(sent)
	}
	steps := d.r.whole(leastSteps, 4000)
	steps = min(steps, mostWork/d.procs, int(mostSharing/sharing)*len(classes))
	d.stages = max(steps/len(classes), (leastSteps+len(classes)-1)/len(classes))
	d.work = make([][]float64, d.stages)
	for i := range d.work {
		d.work[i] = make([]float64, d.procs)
	}
	s.draw(d)
	d.noise()
	grain := d.r.log(1e-4, 1) * sim.Reference
	d.scale(grain)
	l := &load{procs: d.procs, classes: classes, work: d.work, talk: talk.eras, bytes: d.bytes(grain, messages)}
	l.state, l.growth = d.state()
	return l
}

// classes draws the supersteps of a stage.
func (d *draft) classes() []class {
	if d.r.chance(0.4) {
		return []class{{site: "step", part: 1, talks: true}}
	}
	sites := []string{"assemble", "solve", "update", "check"}
	all := make([]class, d.r.whole(2, 4))
	sum := 0.0
	for i := range all {
		all[i] = class{site: sites[i], part: d.r.ExpFloat64(), talks: d.r.chance(0.5)}
		if d.r.chance(0.25) {
			all[i].part *= 0.01 // next to no work: messages or a barrier
		}
		sum += all[i].part
	}
	for i := range all {
		all[i].part /= sum
	}
	all[d.r.IntN(len(all))].talks = true
	if last := &all[len(all)-1]; d.r.chance(0.3) {
		last.reduce, last.talks = true, false
		all[0].talks = true
	}
	return all
}

// noise multiplies all work by random factors.
func (d *draft) noise() {
	sigma := []float64{0, 0, 0.005, 0.03, 0.1, 0.3}[d.r.IntN(6)]
	if sigma == 0 {
		return
	}
	for _, row := range d.work {
		for pid := range row {
			row[pid] *= d.r.factor(sigma)
		}
	}
}

// scale makes the mean work of a process in a stage so many operations.
func (d *draft) scale(mean float64) {
	sum := 0.0
	for _, row := range d.work {
		for _, w := range row {
			sum += w
		}
	}
	if sum == 0 {
		return
	}
	factor := mean * float64(d.procs*d.stages) / sum
	for _, row := range d.work {
		for pid := range row {
			row[pid] *= factor
		}
	}
}

// bytes draws the size of a message, so that messages of a stage take from a thousandth to
// three times as long as its mean work on one of the networks, if the hosts send equally much.
func (d *draft) bytes(grain float64, messages int) float64 {
	rates, work := d.m.rates(), grain*float64(d.procs)
	perHost := max(1, float64(messages)/float64(len(d.m.hosts)))
	size := d.r.log(1e-3, 3) * work / d.m.speed() * rates[d.r.IntN(len(rates))] / perHost
	return math.Round(min(max(size, 8), 1e7))
}

// state draws the bytes of each process and the part by which they grow until the end of the run.
func (d *draft) state() (state []float64, growth float64) {
	size, sigma := d.r.log(1e6, 1e9), 0.0
	if d.r.chance(0.3) {
		size = d.r.log(1e3, 1e6)
	}
	if d.r.chance(0.4) {
		sigma = d.r.between(0.2, 1.5)
	}
	if d.r.chance(0.15) {
		growth = d.r.log(0.5, 20)
	}
	state = make([]float64, d.procs)
	for pid := range state {
		state[pid] = math.Round(min(size*d.r.factor(sigma), 1e9))
	}
	return state, growth
}

// start draws the first host of each process.
func (d *draft) start() []int32 {
	hosts := len(d.m.hosts)
	where := make([]int32, d.procs)
	switch way := d.r.Float64(); {
	case way < 0.35: // blocks of neighbours
		for pid := range where {
			where[pid] = int32(pid * hosts / d.procs)
		}
	case way < 0.6: // in turn
		for pid := range where {
			where[pid] = int32(pid % hosts)
		}
	case way < 0.75:
		d.byDeclaredSpeed(where)
	case way < 0.9: // random
		for pid := range where {
			where[pid] = int32(d.r.IntN(hosts))
		}
	default: // on some of the hosts
		used := d.r.whole(1, hosts)
		for pid := range where {
			where[pid] = int32(pid * used / d.procs)
		}
	}
	return where
}

// byDeclaredSpeed gives each host a block whose size is in proportion to its declared speed.
func (d *draft) byDeclaredSpeed(where []int32) {
	ends, sum := make([]float64, len(d.m.hosts)), 0.0
	for i, h := range d.m.hosts {
		speed := h.speed
		if h.declared > 0 {
			speed = h.declared
		}
		sum += speed * float64(h.cores)
		ends[i] = sum
	}
	for pid := range where {
		at := sum * (float64(pid) + 0.5) / float64(len(where))
		i, _ := slices.BinarySearch(ends, at)
		where[pid] = int32(min(i, len(ends)-1))
	}
}
