package account

import (
	"math"

	"github.com/migbsp/migbsp/ledger"
)

// shadow is the run as it would have been without moves: superstep by superstep each
// rank's processes as they were at the start. What these compute is known wherever they
// are. How fast a rank's host lets them, and what messages take between the places where
// they were, is learned as long as all processes are there, and from the ranks that still
// have about as much to do.
//
// A superstep of the shadow takes
//
//	roughness * max over ranks(work at speed 1 / (speed * share)) + communication(site, h)
//
// where share is the part of the elapsed time of its work in which a rank ran,
// communication is a line in h for each place where supersteps end, and roughness is by how
// much the longest of all ranks' work was longer than the means say: hosts vary, and the
// barrier waits for the one that has its bad moment. So the shadow of what it has learned
// from takes what that took.
type shadow struct {
	speeds []float64
	home   []float64 // of the superstep: work at speed 1 of the processes that began on each rank
	paces  []pace

	work      spread // longest work over what paces say
	sites     map[string]*line
	all       line
	moved     map[string]float64 // supersteps of the shadow alone, by site
	movedWork float64            // seconds of work in them
	movedComm float64

	unmoved, seen float64
	step          int
}

// pace is what is known of the part of a core that a rank gets.
type pace struct {
	cpu, span float64 // seconds of its work, the past fading
	busy      float64 // part of the longest work that it worked, while nothing was moved
	quota     float64 // it is believed to have as long as little is known
}

const (
	// paceMemory is how many seconds of work it takes for what was before to count a
	// third: some periods of quotas and many time slices, and hosts whose load changes are
	// seen as they are within a few supersteps that have become slow.
	paceMemory = 2.0
	// paceBelieved is after how many seconds of work what is seen counts as much as the
	// quota.
	paceBelieved = 0.02
	// A rank with less to do than this part of what it had shows another share: quotas
	// save up, and the kernel prefers who runs seldom.
	usualBusy = 0.7
)

func newShadow(speeds []float64) *shadow {
	s := &shadow{speeds: speeds, home: make([]float64, len(speeds)), paces: make([]pace, len(speeds)), sites: map[string]*line{}, moved: map[string]float64{}}
	for rank := range s.paces {
		s.paces[rank].quota = 1
	}
	return s
}

// share is the part of a core that a rank gets.
func (p *pace) share() float64 {
	return max(leastShare, min(1, (paceBelieved*p.quota+p.cpu)/(paceBelieved+p.span)))
}

// leastShare keeps a rank in the reckoning that got no time at all.
const leastShare = 0.001

// see takes in a superstep of a rank.
func (p *pace) see(cpu, span, longest float64, moved bool) {
	if span <= 0 {
		return
	}
	busy := span / longest
	if moved && busy < usualBusy*p.busy {
		return
	}
	keep := math.Exp(-span / paceMemory)
	if !moved {
		p.busy += (busy - p.busy) * max(1-keep, 1/(1+p.span/span))
	}
	p.cpu = p.cpu*keep + min(cpu, span)
	p.span = p.span*keep + span
}

// superstep takes in a superstep: what each rank's processes did where they are in work and
// cpu, in seconds, and in home where they began. moved is true if some are elsewhere.
func (s *shadow) superstep(step *ledger.Step, cpu []float64, moved bool) {
	longest, total := step.WorkMax.Seconds(), step.Total.Seconds()
	expected := 0.0
	for rank := range s.paces {
		p := &s.paces[rank]
		p.see(cpu[rank], step.Work[rank].Seconds(), longest, moved)
		expected = max(expected, s.home[rank]/(s.speeds[rank]*p.share()))
	}
	s.seen += total
	s.step = step.Last
	h := float64(step.H)
	if !moved {
		s.unmoved += total
		if expected > 0 {
			s.work.add(expected, longest/expected)
		}
		l := s.sites[step.Site]
		if l == nil {
			l = new(line)
			s.sites[step.Site] = l
		}
		l.add(h, total-longest)
		s.all.add(h, total-longest)
		return
	}
	work, comm := expected*s.work.mean(1), s.communication(step.Site, h, total-longest)
	s.unmoved += work + comm
	s.movedWork += work
	s.movedComm += comm
	s.moved[step.Site]++
}

// communication is what communication takes without moves at a place; other is the answer
// where nothing is known.
func (s *shadow) communication(site string, h, other float64) float64 {
	l := s.sites[site]
	if l == nil {
		l = &s.all
	}
	if l.n == 0 {
		return max(0, other)
	}
	slope, ok := l.slope()
	if !ok {
		if slope, ok = s.all.slope(); !ok {
			slope = 0
		}
	}
	return max(0, l.y/l.n+slope*(h-l.x/l.n))
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
	if s.movedWork+s.movedComm == 0 {
		return 0
	}
	if s.work.n == 0 {
		return s.movedWork + s.movedComm
	}
	sum := square(s.movedWork) * s.work.errorOfMean(workDoubt)
	for site, n := range s.moved {
		l := s.sites[site]
		if l == nil {
			l = &s.all
		}
		sum += square(n) * l.errorOfMean(commDoubt)
	}
	return math.Sqrt(sum)
}

func square(x float64) float64 { return x * x }

// spread is the weighted mean of figures and how far they are from it.
type spread struct{ n, weight, sum, squares float64 }

func (s *spread) add(weight, x float64) {
	s.n++
	s.weight += weight
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

// errorOfMean is the square of the standard error of the mean.
func (s *spread) errorOfMean(doubt float64) float64 {
	mean := s.mean(0)
	return (square(doubt*mean)/s.n + max(0, s.squares/s.weight-mean*mean)) / s.n
}

// line is what is needed for the straight line through points.
type line struct{ n, x, y, xx, xy, yy float64 }

func (l *line) add(x, y float64) {
	l.n++
	l.x += x
	l.y += y
	l.xx += x * x
	l.xy += x * y
	l.yy += y * y
}

// slope is that of the line, unless there are few points, they tell nothing, or more bytes
// would take less time.
func (l *line) slope() (slope float64, ok bool) {
	if l.n < 8 {
		return 0, false
	}
	xx, xy := l.xx-l.x*l.x/l.n, l.xy-l.x*l.y/l.n
	if xx <= 1e-9*l.xx || xy <= 0 {
		return 0, false
	}
	return xy / xx, true
}

// errorOfMean is the square of the standard error of the mean of y.
func (l *line) errorOfMean(doubt float64) float64 {
	if l.n == 0 {
		return 0
	}
	mean := l.y / l.n
	rest := max(0, l.yy/l.n-mean*mean)
	if slope, ok := l.slope(); ok {
		rest = max(0, rest-slope*(l.xy-l.x*l.y/l.n)/l.n)
	}
	return (square(doubt*mean)/l.n + rest) / l.n
}
