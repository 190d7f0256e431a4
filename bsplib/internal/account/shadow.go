package account

import (
	"math"
	"slices"
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/rebalancer"
)

// shadow is the run as it would have been without moves: superstep by superstep each
// rank's processes as they were at the start. What these compute is known wherever they
// are. How fast a rank's host lets them, and what messages take between the places where
// they were, is learned as long as all processes are there, and the first also later from
// ranks that still have as much to do.
//
// A superstep of the shadow takes
//
//	roughness * max over ranks(work at speed 1 / (speed * share)) + communication(site, hauls)
//
// where share is the part of the elapsed time of its work in which a rank ran,
// communication depends on the place where the superstep ends and on what the platform says of
// its messages and of those of the superstep before (haul.go), and roughness is by how much
// the longest of all ranks' work was longer than the means say: hosts vary, and the barrier
// waits for the one that has its bad moment. So the shadow of what it has learned from takes
// what that took.
type shadow struct {
	speeds []float64
	link   rebalancer.Link // the slowest way between ranks
	home   []float64       // of the superstep: work at speed 1 of the processes that began on each rank
	paces  []pace

	work   spread  // longest work over what paces say
	alone  float64 // seconds of work of the shadow alone
	ahead  float64 // in so many supersteps
	sites  map[string]*place
	others place   // all sites
	haul   float64 // of the superstep before
	last   lesson  // of the superstep before, until the next one begins right after it

	unmoved, seen float64
	step          int
}

// pace is what is known of the part of a core that a rank gets.
type pace struct {
	quota float64 // it is believed to have as long as nothing is known
	full  used    // with at least the work of the processes that began there
	light used    // with less
	low   used    // of full, the last supersteps in a row with much less than before
	left  bool    // nobody is there: what is known of it stays as it was
}

// used is how long a rank ran of how long its work took, in seconds, the past fading.
type used struct{ cpu, span float64 }

const (
	// paceMemory is how many seconds of work it takes for what was before to count half
	// or less: some periods of quotas and many time slices, and hosts whose load changes are
	// seen as they are within a few supersteps that have become slow.
	paceMemory = 2.0
	// paceBelieved is after how many seconds of work what is seen counts as much as the
	// quota: more would be missed in supersteps that are short.
	paceBelieved = 200e-6
	// A rank with less than this part of the work that began there shows another share:
	// quotas save up, and the kernel prefers who runs seldom.
	fullWork = 0.9
	// But a host that gives less to it than before, by this factor and for so many
	// seconds, would not give more to a rank with more work.
	clearlyLess = 0.8
	clearlySeen = 0.3
	// A host that gives less than this part of what it gave, for clearlySeen, has become slow: what
	// it gave before says nothing any more. Processes may leave it before that has faded.
	becomeSlow = 0.5
)

func newShadow(speeds []float64, link rebalancer.Link) *shadow {
	s := &shadow{speeds: speeds, link: link, home: make([]float64, len(speeds)), paces: make([]pace, len(speeds)), sites: map[string]*place{}}
	for rank := range s.paces {
		s.paces[rank].quota = 1
	}
	return s
}

func (u *used) add(cpu, span float64) {
	keep := paceMemory / (paceMemory + span)
	u.cpu = u.cpu*keep + min(cpu, span)
	u.span = u.span*keep + span
}

// share is the part of a core that a rank gets, or would get with the work that began there.
func (p *pace) share() float64 {
	share := (paceBelieved*p.quota + p.full.cpu) / (paceBelieved + p.full.span)
	if l := &p.light; l.span > clearlySeen && l.cpu < clearlyLess*share*l.span {
		share = l.cpu / l.span
	}
	if p.left {
		share = min(share, p.quota) // what is saved up would soon be spent
	}
	return max(leastShare, min(1, share))
}

// leastShare keeps a rank in the reckoning that got no time at all.
const leastShare = 0.001

// see takes in a superstep of a rank; full is true if it had its full work.
func (p *pace) see(cpu, span float64, full bool) {
	p.left = span <= 0
	switch {
	case p.left:
	case full:
		if cpu*p.full.span < becomeSlow*p.full.cpu*span {
			p.low.cpu, p.low.span = p.low.cpu+cpu, p.low.span+span
		} else {
			p.low = used{}
		}
		p.full.add(cpu, span)
		if p.low.span > clearlySeen {
			p.full, p.low = p.low, used{}
		}
		p.light = used{}
	default:
		p.light.add(cpu, span)
	}
}

// lesson is what communication took, on average of some supersteps.
type lesson struct {
	at                 *place
	steps, counts      float64
	hauls, links, took float64
}

func (s *shadow) learn() {
	if s.last.at != nil {
		s.last.at.learn(&s.last)
		s.others.learn(&s.last)
	}
	s.last = lesson{}
}

// called tells that a rescheduling call comes after the superstep. Rank 0 leaves a barrier
// while bytes are still under way and others still to leave it, and waits for them in what
// comes next: in the call, so that the superstep seems shorter than it was.
func (s *shadow) called() {
	if s.others.scale.n == 0 {
		s.learn() // there is nothing better
	}
	s.last = lesson{}
}

// superstep takes in a superstep, or several that ended at one place: the CPU time of each
// rank's processes where they are, in home the work of those that began there, and their mean
// haul, which may be unknown. moved is true if some are elsewhere.
func (s *shadow) superstep(step *ledger.Step, cpu []float64, haul float64, moved bool) {
	s.learn()
	longest, total := seconds(step.WorkMax), seconds(step.Total)
	expected := 0.0
	for rank := range s.paces {
		p := &s.paces[rank]
		p.see(cpu[rank], seconds(step.Work[rank]), !moved || cpu[rank]*s.speeds[rank] >= fullWork*s.home[rank])
		expected = max(expected, s.home[rank]/(s.speeds[rank]*p.share()))
	}
	at := s.sites[step.Site]
	if at == nil {
		at = new(place)
		s.sites[step.Site] = at
	}
	steps := float64(step.Count)
	haul = s.hauled(at, haul, float64(step.H)/steps)
	// Bytes of a superstep may still be under way in the next one.
	if s.step == 0 {
		s.haul = haul // as if one like it had come before
	}
	hauls := haul + s.haul
	s.haul, s.step = haul, max(s.step, step.Last)
	links := s.link.Latency + hauls
	s.seen += total
	if !moved {
		s.unmoved += total
		if expected > 0 {
			s.work.add(expected, longest/expected)
		}
		s.last = lesson{at: at, steps: steps, hauls: hauls, links: links, took: (total - longest) / steps}
		return
	}
	work, comm := expected*s.work.mean(1), max(0, total-longest)
	switch {
	case at.scale.n > 0:
		comm = steps * at.takes(hauls, links)
	case s.others.scale.n > 0:
		comm = steps * s.others.takes(hauls, links)
	}
	s.unmoved += work + comm
	s.alone, s.ahead = s.alone+work, s.ahead+1
	at.alone, at.ahead = at.alone+steps*links, at.ahead+1
}

// hauled is the haul of a superstep of h bytes: if it is unknown in proportion to those that are
// known, of the same place or of all, or as if the heaviest process had the slowest link.
func (s *shadow) hauled(at *place, haul, h float64) float64 {
	if haul == unknown {
		for _, p := range []*place{at, &s.others} {
			if p.known.x > 0 {
				return h * p.known.y / p.known.x
			}
		}
		return h * s.link.PerByte
	}
	for _, p := range []*place{at, &s.others} {
		p.known.add(1, h, haul)
	}
	return haul
}

// seconds is d.Seconds without its divisions, which take as long as all else here.
func seconds(d time.Duration) float64 { return float64(d) * 1e-9 }

// place is what communication takes where supersteps end at one place of the program.
type place struct {
	scale spread   // its time over what links say: the hauls, and an exchange without bytes
	first []lesson // of this, as long as there are few
	fit   line     // its time over hauls
	known line     // known hauls over bytes
	alone float64  // what that link would take in supersteps of the shadow alone
	ahead float64  // how many these are

	level   float64 // the usual scale
	changed bool    // since level was found
}

// The beginning is not like what follows: connections are opened, buffers of links are empty
// and quotas saved up. So the second superstep at a place counts twice, the third three times,
// and so on up to fewTimes.
//
// Of up to fewTimes supersteps one that something else has held up counts too much: what
// took more than farOff times the median is taken to have taken that.
const (
	fewTimes = 32
	farOff   = 3
)

func (p *place) learn(l *lesson) {
	l.counts = min(p.scale.n+1, fewTimes)
	p.scale.add(l.counts*l.steps*l.links, l.took/l.links)
	p.fit.add(l.counts, l.hauls, l.took)
	p.changed = true
	if p.scale.n <= fewTimes {
		p.first = append(p.first, *l)
	}
}

// usual is the mean of the scale.
func (p *place) usual() float64 {
	if !p.changed {
		return p.level
	}
	p.level, p.changed = p.scale.mean(0), false
	if p.scale.n <= fewTimes {
		n := len(p.first)
		sorted := make([]float64, n)
		for i, x := range p.first {
			sorted[i] = x.took / x.links
		}
		slices.Sort(sorted)
		most := max(0, farOff*(sorted[(n-1)/2]+sorted[n/2])/2)
		sum := 0.0
		for _, x := range p.first {
			sum += x.counts * x.steps * min(x.took, most*x.links)
		}
		p.level = sum / p.scale.weight
	}
	return p.level
}

// takes is the time of a superstep's communication: by the line through what was seen where that says
// what hauls take, else as links divide it between latency and hauls.
func (p *place) takes(hauls, links float64) float64 {
	if slope, ok := p.fit.slope(); ok {
		return max(0, p.fit.y/p.fit.n+slope*(hauls-p.fit.x/p.fit.n))
	}
	return max(0, links*p.usual())
}

// saving compares the run so far with its shadow.
func (s *shadow) saving() *ledger.Saving {
	return &ledger.Saving{Step: s.step, Unmoved: s.unmoved, Seen: s.seen, Error: s.error()}
}

// Of how few supersteps a mean is, its error has to tell: it counts as if there were one
// superstep more, that far from the mean.
const (
	workDoubt = 0.2
	commDoubt = 0.5
)

// error is the standard error of the shadow's time, taking the errors of work and of each
// place's communication to be independent.
func (s *shadow) error() float64 {
	if s.work.n == 0 {
		return s.unmoved
	}
	sum := square(s.alone) * s.work.errorAhead(workDoubt, s.ahead)
	for _, at := range s.sites {
		scale := &at.scale
		if scale.n == 0 {
			scale = &s.others.scale
		}
		sum += square(at.alone) * scale.errorAhead(commDoubt, at.ahead)
	}
	return math.Sqrt(sum)
}

func square(x float64) float64 { return x * x }

// spread is the weighted mean of figures and how far they are from it.
type spread struct {
	n, weight, weights2, sum, squares float64
	last, first                       float64
	products                          float64 // of each figure and the one before, as they are beside the first
}

func (s *spread) add(weight, x float64) {
	if s.n == 0 {
		s.first, s.last = x, x
	}
	s.products += (s.last - s.first) * (x - s.first)
	s.last = x
	s.n++
	s.weight += weight
	s.weights2 += weight * weight
	s.sum += weight * x
	s.squares += weight * x * x
}

// mean is other where there are no figures.
func (s *spread) mean(other float64) float64 {
	if s.weight == 0 {
		return other
	}
	return s.sum / s.weight
}

const (
	// mostLasting bounds how much a figure is taken to have of the one before.
	mostLasting = 0.98
	// fewAlike is as how many figures they count at least for the doubt in few of them.
	fewAlike = 5
	// noVariance is the part of the mean by which figures differ that are the same but for
	// rounding.
	noVariance = 1e-4
)

// errorAhead is the square of the standard error of what so many figures to come are on average,
// taken to be the mean: that of the mean and that of their own. What disturbs a run may last
// longer than a superstep; figures that follow each other count as fewer then, by their
// correlation. Short series show that too small (Kendall 1954) and not exactly: it is taken to be
// larger by its own standard error.
func (s *spread) errorAhead(doubt, ahead float64) float64 {
	if s.weight == 0 {
		return 0
	}
	mean, n := s.mean(0), s.weight*s.weight/s.weights2
	variance := max(0, s.squares/s.weight-mean*mean)
	lasting := 0.0
	if s.n > 3 && variance > square(noVariance*mean) {
		lasting = min(max(0, (s.products/(s.n-1)-square(mean-s.first))/variance), 1)
		lasting = min(lasting+(1+3*lasting)/s.n+math.Sqrt((1-square(lasting))/s.n), mostLasting)
	}
	alike := (1 + lasting) / (1 - lasting)
	fewer := max(1, n/alike)
	return square(doubt*mean/max(fewer, min(n, fewAlike))) + variance*(1/fewer+1/max(1, ahead/alike))
}

// line is what is needed for the straight line through weighted points.
type line struct{ points, n, x, y, xx, xy float64 }

func (l *line) add(weight, x, y float64) {
	l.points++
	l.n += weight
	l.x += weight * x
	l.y += weight * y
	l.xx += weight * x * x
	l.xy += weight * x * y
}

// slope is that of the line, unless there are few points, they tell nothing, or more would take
// less time.
func (l *line) slope() (slope float64, ok bool) {
	if l.points < 8 {
		return 0, false
	}
	xx, xy := l.xx-l.x*l.x/l.n, l.xy-l.x*l.y/l.n
	if xx <= 1e-9*l.xx || xy <= 0 {
		return 0, false
	}
	return xy / xx, true
}
