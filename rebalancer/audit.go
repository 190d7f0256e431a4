package rebalancer

import (
	"math"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
)

// The duration of the run under its initial mapping.
//
// The duration of a superstep under the initial mapping follows from figures that are measured anyway.
// Let w(r,h,t) be the work in superstep t of the processes that are on rank r and began on rank h, and
// wall(r,t) the seconds that rank r computed. Then
//
//	rate(h,t)   = sum of w(h,.,t) / wall(h,t), or speed times share where h computed nothing
//	start(t)    = max over h of (sum over r of w(r,h,t)) / rate(h,t)
//	real(t)     = max over r of wall(r,t)
//
// Time that processes slept or waited for files is excluded from w and wall(h,t), and is added to
// start(t) afterwards. The only modelling assumption is that work scales with the ranks' speeds.
// Communication is predicted for both mappings, as a mean; any excess of the measured time counts for
// both alike.
//
// A rank with a quota runs at full speed until the quota is used up, and then waits, so a lightly
// loaded rank seems faster than it would be under a full load. A second time therefore lets each such h
// with less work than under the initial mapping run at its sustained rate, speed times quota. If a
// superstep of the initial mapping, with its messages, is longer than the second time, quotas are never
// used up and start(t) is right; otherwise the second time applies.
//
// Ranks that share cores, or the quota of their host, get the share that the others leave: each may get
// all of it while it runs alone. A superstep takes at least the work of all processes that began on
// such a host divided by the capacity of the host.
//
// Each rank keeps w and wall of its own processes for an evenly spread sample of the supersteps since
// the last call, and reports them; samples.go extrapolates to all supersteps. If all processes are on
// their initial ranks, no samples are kept, because both mappings are the same.

// quotaPeriod is the duration, in seconds, of the supersteps that share one quota.
const quotaPeriod = 0.1

// auditor keeps the audits of an observer's ranks.
type auditor struct {
	start  []int32   // rank of each process where the run began
	away   bool      // some process has left its initial rank
	shares []float64 // each rank's share of its core while the ranks that share the core are idle, as of the last call

	seen   []int         // observations since the last call, by class
	stride int           // one observation in stride is kept
	kept   []auditSample // the samples
	parts  []auditPart
	part   []int // by process of an observation: index into parts

	exposure float64    // seconds lost to the initial mapping since the last call: an upper bound over this observer's ranks
	ranks    []rankStep // by rank
}

// auditPart identifies the processes on one rank that began on the same rank.
type auditPart struct{ rank, home int32 }

// auditSample is the sample of one superstep. By part, it holds the seconds of the rank, and the work
// and waiting time of the processes.
type auditSample struct {
	of               draw
	wall, work, wait []float32
}

// rankStep holds a rank's figures for the current superstep.
type rankStep struct {
	wall, wait, work   float64 // of the processes on the rank: seconds, seconds of waiting, and work
	homeWait, homeWork float64 // of the processes that began on the rank
}

// restart clears the samples after a call and records whether any process has left its initial rank.
func (a *auditor) restart(where []int32, shares []float64) {
	a.stride, a.kept, a.part, a.exposure, a.shares = 1, nil, nil, 0, shares
	clear(a.seen)
	a.away = !slices.Equal(a.start, where)
}

// lay assigns the processes of an observation to parts.
func (a *auditor) lay(o *Observation, where []int32, ranks int) {
	number := make(map[auditPart]int)
	a.kept, a.parts, a.part, a.ranks = nil, nil, make([]int, 0, len(o.Processes)), make([]rankStep, ranks)
	for i := range o.Processes {
		pid := o.Processes[i].Pid
		of := auditPart{where[pid], a.start[pid]}
		n, known := number[of]
		if !known {
			n = len(a.parts)
			number[of], a.parts = n, append(a.parts, of)
		}
		a.part = append(a.part, n)
	}
}

// observe adds a superstep. speeds holds the ranks' speeds as of the last call.
func (a *auditor) observe(o *Observation, where []int32, speeds []float64) {
	if a.part == nil || len(a.part) != len(o.Processes) {
		a.lay(o, where, len(speeds))
	}
	kept := a.draw(min(o.Class, mostClasses-1))
	clear(a.ranks)
	for i := range o.Processes {
		m := &o.Processes[i]
		rank, span, wait := where[m.Pid], max(m.Time, m.Span), m.Wait
		here, home := &a.ranks[rank], &a.ranks[a.start[m.Pid]]
		if o.Overlap { // the rank is done when its last process is
			here.wall, wait = max(here.wall, span), 0
		} else {
			here.wall += span
		}
		work := (m.Time - wait) * speeds[rank]
		here.work, here.wait = here.work+work, here.wait+wait
		home.homeWork, home.homeWait = home.homeWork+work, home.homeWait+wait
		if kept != nil {
			kept.work[a.part[i]] += float32(work)
			kept.wait[a.part[i]] += float32(wait)
		}
	}
	real, start := 0.0, 0.0
	for rank, is := range a.ranks {
		rate := speeds[rank] * max(leastAvailable, a.shares[rank])
		if is.wall > is.wait && is.work > 0 {
			rate = is.work / (is.wall - is.wait)
		}
		real, start = max(real, is.wall), max(start, is.homeWork/rate+is.homeWait)
	}
	for n, of := range a.parts {
		if kept != nil {
			kept.wall[n] = float32(a.ranks[of.rank].wall)
		}
	}
	a.exposure += (real - start) * float64(max(1, o.Count))
}

// draw begins a sample of the next superstep of a class. It returns nil if the superstep is not
// sampled.
func (a *auditor) draw(class int) *auditSample {
	for len(a.seen) <= class {
		a.seen = append(a.seen, 0)
	}
	d := draw{class, a.seen[class]}
	a.seen[class]++
	if len(a.kept) == auditSamples && d.stays(a.stride) {
		a.stride *= auditThin
		a.kept = slices.DeleteFunc(a.kept, func(s auditSample) bool { return !s.of.stays(a.stride) })
	}
	if !d.stays(a.stride) {
		return nil
	}
	n := len(a.parts)
	a.kept = append(a.kept, auditSample{d, make([]float32, n), make([]float32, n), make([]float32, n)})
	return &a.kept[len(a.kept)-1]
}

// speedsOf returns the lower and upper bound of a rank's speed.
type speedsOf func(v *View, rank int) (least, most float64)

// audited holds the mean computing time of the supersteps since the last call, and the mean under the
// initial mapping.
type audited struct {
	samples     sampled
	seconds     []float64 // by sample, under the initial mapping
	real, start float64
	off         float64 // error of start due to exchanges that use up quotas
	known       bool    // samples exist: some process has left its initial rank
}

// newAudited evaluates the audits. exchange is the communication time per superstep under the initial
// mapping, and throttled the share of time with exhausted quotas there. Exchanges use quotas too, and
// are assumed to do so again with even odds.
//
// Audits record work at learned speeds, which have a lower and an upper bound. The initial mapping gets
// the bounds that make the balance worse.
func newAudited(v View, samples sampled, speeds speedsOf, exchange, throttled float64) audited {
	n := len(samples.lengths)
	a := audited{samples: samples, seconds: make([]float64, n), known: n > 0}
	if !a.known {
		return a
	}
	a.real = samples.mean(samples.lengths)
	walls, works, homes, waits := v.auditedWork(n, speeds)
	took, steps := MeasuredStep(v.Snapshot.Ranks)
	quota := samples.lasting(quotaPeriod, took*float64(steps))
	kepts := make([]float64, (n+quota-1)/quota) // by group of samples that share a quota, in order
	// count adds a rank or a crowded host to the time of each sample, and of each group that shares a
	// quota.
	count := func(home, waits []float64, rate func(sample int) float64, kept float64) {
		for s := range a.seconds {
			pace := rate(s)
			if took >= quotaPeriod {
				pace = min(pace, kept)
			}
			a.seconds[s] = max(a.seconds[s], home[s]/pace+waits[s])
		}
		for q := range kepts {
			from, to := q*quota, min(n, (q+1)*quota)
			kepts[q] = max(kepts[q], samples.part(home, from, to)/kept+samples.part(waits, from, to))
		}
	}
	fast, lasting := make([]float64, len(walls)), make([]float64, len(walls)) // rates while quotas last, and sustained rates
	for rank := range walls {
		_, most := speeds(&v, rank)
		lasting[rank] = most * max(leastAvailable, v.Learned.Available[rank])
		fast[rank] = max(lasting[rank], most*v.burst(rank))
	}
	shared := cost.NewSharing(v.Platform, lasting, v.drained)
	for rank := range walls {
		_, most := speeds(&v, rank)
		wall, work, home, alone := walls[rank], works[rank], homes[rank], shared.Alone[rank]
		crowded, kept := shared.Place(rank) >= 0, math.Inf(1)
		if fast[rank] > lasting[rank] && (crowded || samples.mean(work) < 0.9*samples.mean(home)) { // the rate under full load is unknown
			kept = alone
		}
		count(home, waits[rank], func(s int) float64 {
			if !crowded && work[s] > 0 && wall[s] > 0 {
				return work[s] / wall[s] * most / v.Learned.Speeds[rank]
			}
			return max(fast[rank], alone)
		}, kept)
	}
	for host, capacity := range shared.Capacity {
		rate, kept, home := capacity, math.Inf(1), make([]float64, n)
		for _, rank := range shared.Crowds.Ranks[host] {
			if fast[rank] > lasting[rank] {
				rate, kept = math.Inf(1), capacity // cores suffice, but the quota is used up
			}
			for s, work := range homes[rank] {
				home[s] += work
			}
		}
		count(home, make([]float64, n), func(int) float64 { return rate }, kept)
	}
	if kept := sumOf(kepts); took < quotaPeriod && kept > samples.mean(a.seconds) { // a quota spans several supersteps
		least := usedUp(samples.mean(a.seconds), kept, exchange)
		part := max(least, throttled/2)
		a.off = (part - least) * (kept - samples.mean(a.seconds))
		for s, burst := range a.seconds {
			a.seconds[s] = burst*(1-part) + kept*part*ratioOr(samples.lengths[s], a.real, 1)
		}
	}
	a.start = samples.mean(a.seconds)
	return a
}

// usedUp returns the share of time that ranks spend with exhausted quotas. burst and kept are the
// computing times per superstep while the quota lasts and afterwards. The share is 0 if burst and
// exchange together reach kept, and 1 if kept exceeds them by another exchange.
func usedUp(burst, kept, exchange float64) float64 {
	over := kept - burst - exchange
	if over <= 0 {
		return 0
	}
	return min(1, over/exchange)
}

// doubt returns the error of the mean under the initial mapping, extrapolated from the samples to steps
// supersteps.
func (a *audited) doubt(steps int) float64 {
	if !a.known {
		return 0
	}
	return a.samples.doubt(a.seconds, steps) + a.off
}

// auditedWork returns, by rank and sample, the time that ranks computed, without waiting, and the work
// that they did; and for the processes that began there, a lower bound on their work, and their waiting
// time.
func (v *View) auditedWork(samples int, speeds speedsOf) (walls, works, homes, waits [][]float64) {
	table := func() [][]float64 {
		return slices.Collect(slices.Chunk(make([]float64, len(v.Platform.Ranks)*samples), samples))
	}
	walls, works, homes, waits = table(), table(), table(), table()
	for _, u := range v.Snapshot.Audits {
		if len(u.Wall) != samples {
			continue
		}
		least, _ := speeds(v, u.Rank)
		waited := make([]float64, samples)
		for _, part := range u.Parts {
			addScaled(works[u.Rank], part.Work, 1)
			addScaled(waited, part.Wait, 1)
			addScaled(homes[part.Home], part.Work, least/v.Learned.Speeds[u.Rank])
			addScaled(waits[part.Home], part.Wait, 1)
		}
		for s, wall := range u.Wall {
			walls[u.Rank][s] = float64(wall) - waited[s]
		}
	}
	return walls, works, homes, waits
}

// addScaled adds factor times figures to to, unless their lengths differ.
func addScaled(to []float64, figures []float32, factor float64) {
	if len(figures) != len(to) {
		return
	}
	for s, x := range figures {
		to[s] += float64(x) * factor
	}
}

// bursts reports whether some rank gets a larger share of its processor while its quota lasts.
func (v *View) bursts() bool {
	return slices.ContainsFunc(v.Snapshot.Ranks, func(s RankState) bool { return s.Burst > s.Available })
}

// burst returns the share of its processor that a rank gets while its quota lasts.
func (v *View) burst(rank int) float64 {
	if rank < len(v.Snapshot.Ranks) && v.Snapshot.Ranks[rank].Rank == rank && v.Snapshot.Ranks[rank].Burst > 0 {
		return v.Snapshot.Ranks[rank].Burst
	}
	return v.Learned.Available[rank]
}

// moments accumulates the moments of a sample.
type moments struct{ n, sum, squares float64 }

func (m *moments) add(x float64) { m.n, m.sum, m.squares = m.n+1, m.sum+x, m.squares+x*x }

// variance returns the variance of the sample, or 0 if it is empty.
func (m *moments) variance() float64 {
	mean := ratioOr(m.sum, m.n, 0)
	return max(0, ratioOr(m.squares, m.n, 0)-mean*mean)
}

// speedRange returns a rank's learned and declared speeds, the lower first. The more certain the learned
// speed, the closer the declared speed is moved to it. The range is needed because processes with less
// work after a move make their new rank seem fast, and the initial mapping slow.
func speedRange(v *View, rank int) (least, most float64) {
	learned, declared := v.Learned.Speeds[rank], declaredSpeed(*v, rank)
	declared = learned * math.Pow(declared/learned, speedDoubt(*v, rank)/speedPrior)
	return min(learned, declared), max(learned, declared)
}

// likelySpeed returns a rank's speed as fitted to the moves, even if the fit was rejected.
func likelySpeed(v *View, rank int) (least, most float64) {
	speeds := v.Learned.Speeds
	if v.Learned.Told != nil {
		speeds = v.Learned.Told.Speeds
	}
	return speeds[rank], speeds[rank]
}

// leastAvailable keeps times finite if a rank's share is 0.
const leastAvailable = 1e-6

// report returns the audits of the given ranks, in their order.
func (a *auditor) report(ranks []RankState) (list []Audit) {
	if a == nil || a.part == nil {
		return nil
	}
	all := make([]Audit, len(a.ranks))
	for n, of := range a.parts {
		u, part, waits := &all[of.rank], HomeWork{Home: int(of.home)}, false
		u.Wall = nil
		for _, s := range a.kept {
			u.Wall, part.Work, part.Wait = append(u.Wall, s.wall[n]), append(part.Work, s.work[n]), append(part.Wait, s.wait[n])
			waits = waits || s.wait[n] > 0
		}
		if !waits {
			part.Wait = nil
		}
		u.Rank, u.Parts = int(of.rank), append(u.Parts, part)
	}
	for _, s := range ranks {
		if u := all[s.Rank]; u.Parts != nil {
			list = append(list, u)
		}
	}
	return list
}
