package rebalancer

import (
	"math"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
)

// What the run would have taken elsewhere.
//
// What a superstep would have taken with every process where it began follows from what is
// measured anyway. Let w(r,h,t) be the work that the processes on rank r did in superstep t
// of those that began on rank h, and wall(r,t) the seconds that rank r computed for. Then
//
//	rate(h,t)   = sum of w(h,.,t) / wall(h,t), or speed times share where h computed nothing
//	start(t)    = max over h of (sum over r of w(r,h,t)) / rate(h,t)
//	real(t)     = max over r of wall(r,t)
//
// where time in which processes slept or waited for files is no part of w and wall(h,t), and is added
// to the start again. This has no model in it but that work takes as long anywhere as the speeds say. Only
// messages and barriers are predicted for both, as a mean, and what was measured beyond
// that counts for both alike.
//
// A rank with a quota runs at full speed until that is used up, and waits then: with little to do
// it seems faster than it would be with more. So there is a second time, in which each such h
// that has less to do than at the start does the work at the rate that it can keep up, speed
// times its quota. Where a superstep at the start is longer than that, its messages included,
// quotas are never used up, and the start is right; else it computes for that long.
//
// Ranks that share cores, or the quota of their host, have what the others leave: each may have all of it alone,
// and a superstep takes at least what all that began on such a host takes at the capacity of the host.
//
// Each rank keeps w and wall of its own processes in some of the supersteps since the last
// call, spread evenly, and reports them; samples.go has what they say of all supersteps. Where all
// processes are where they began there is nothing to keep: both take the same.

// quotaPeriod is how many seconds of supersteps use up one quota together.
const quotaPeriod = 0.1

// auditor keeps the audits of an observer's ranks.
type auditor struct {
	start  []int32   // rank of each process where the run began
	away   bool      // some process is elsewhere
	shares []float64 // of its core that each rank has while those that share it have nothing to do, as last known to all

	seen   []int         // by class, observations since the last call,
	stride int           // of which one in stride is kept
	kept   []auditSample // these
	parts  []auditPart
	part   []int // by process of an observation: place in parts

	exposure float64    // seconds lost to the start since the last call, as far as this observer sees
	ranks    []rankStep // by rank
}

// auditPart is those processes on a rank that began on one rank.
type auditPart struct{ rank, home int32 }

// auditSample is what was kept of a superstep, by part: seconds of the rank, and work and waiting of the processes.
type auditSample struct {
	of               draw
	wall, work, wait []float32
}

// rankStep is a rank's part of the superstep under way.
type rankStep struct {
	wall, wait, work   float64 // of the processes that ran there: seconds, those of them that they waited, and work
	homeWait, homeWork float64 // of those that began there
}

// restart begins the time after a call, with the mapping that it left.
func (a *auditor) restart(where []int32, shares []float64) {
	a.stride, a.kept, a.part, a.exposure, a.shares = 1, nil, nil, 0, shares
	clear(a.seen)
	a.away = !slices.Equal(a.start, where)
}

// lay numbers the parts that the processes of an observation are of.
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

// observe takes in a superstep; speeds of ranks are as last known to all.
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
		if o.Overlap { // the rank is done when the last of its processes is
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

// draw begins a sample of the next superstep of a class, or returns nil if that is none.
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

// speedsOf says how fast a rank may be at least and at most.
type speedsOf func(v *View, rank int) (least, most float64)

// audited is what supersteps' computing took since the last call, and would have taken where the
// run began, on average.
type audited struct {
	samples     sampled
	seconds     []float64 // by sample, at the start
	real, start float64
	off         float64 // how far off start may be for what exchanges use of quotas
	known       bool    // something was kept: some process is not where it began
}

// newAudited evaluates the audits; exchange is what messages and barriers take at the start, and throttled the part of
// the time in which quotas were used up there: exchanges use them too, and as likely as not will again. Audits are of work
// at learned speeds, which count as they may be at least and at most: the start gets those that are worse for the balance.
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
	kepts := make([]float64, (n+quota-1)/quota) // by samples that share a quota, in their order
	// count takes a rank or a crowded host into the time of each sample, and into that of those that share a quota.
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
	fast, lasting := make([]float64, len(walls)), make([]float64, len(walls)) // rates while quotas last, and those that ranks can keep up
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
		if fast[rank] > lasting[rank] && (crowded || samples.mean(work) < 0.9*samples.mean(home)) { // with about as much as there it shows what it can give
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
				rate, kept = math.Inf(1), capacity // there are cores enough, but the quota is used up
			}
			for s, work := range homes[rank] {
				home[s] += work
			}
		}
		count(home, make([]float64, n), func(int) float64 { return rate }, kept)
	}
	if kept := sumOf(kepts); took < quotaPeriod && kept > samples.mean(a.seconds) { // quotas last for some supersteps
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

// usedUp is the part of the time in which ranks have no quota left, if they compute for so
// long while it lasts and for so long without: none where a superstep with its exchange is longer
// than the second, and all of it where that is longer by another exchange.
func usedUp(burst, kept, exchange float64) float64 {
	over := kept - burst - exchange
	if over <= 0 {
		return 0
	}
	return min(1, over/exchange)
}

// doubt is how far off what the start takes may be, of so many supersteps of which there are samples.
func (a *audited) doubt(steps int) float64 {
	if !a.known {
		return 0
	}
	return a.samples.doubt(a.seconds, steps) + a.off
}

// auditedWork is, by rank and sample, how long ranks computed, without waiting, and what work they did; and of the
// processes that began there their work, at least, and how long they wait.
func (v *View) auditedWork(samples int, speeds speedsOf) (walls, works, homes, waits [][]float64) {
	// A row of samples for each rank.
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

// addScaled adds a factor times the figures of as many samples, if there are as many.
func addScaled(to []float64, figures []float32, factor float64) {
	if len(figures) != len(to) {
		return
	}
	for s, x := range figures {
		to[s] += float64(x) * factor
	}
}

// bursts reports whether some rank gets more of its processor while its quota lasts.
func (v *View) bursts() bool {
	return slices.ContainsFunc(v.Snapshot.Ranks, func(s RankState) bool { return s.Burst > s.Available })
}

// burst is the share of its processor that a rank gets while its quota lasts.
func (v *View) burst(rank int) float64 {
	if rank < len(v.Snapshot.Ranks) && v.Snapshot.Ranks[rank].Rank == rank && v.Snapshot.Ranks[rank].Burst > 0 {
		return v.Snapshot.Ranks[rank].Burst
	}
	return v.Learned.Available[rank]
}

// moments add up samples.
type moments struct{ n, sum, squares float64 }

func (m *moments) add(x float64) { m.n, m.sum, m.squares = m.n+1, m.sum+x, m.squares+x*x }

// variance is that of the samples, 0 of none.
func (m *moments) variance() float64 {
	mean := ratioOr(m.sum, m.n, 0)
	return max(0, ratioOr(m.squares, m.n, 0)-mean*mean)
}

// speedRange is a rank's speed as learned, and as declared as far as it is not sure, the lower first.
// Processes that have less to do where they go look as if that rank were fast, and the run as if it had
// been slow where it began.
func speedRange(v *View, rank int) (least, most float64) {
	learned, declared := v.Learned.Speeds[rank], declaredSpeed(*v, rank)
	declared = learned * math.Pow(declared/learned, speedDoubt(*v, rank)/speedPrior)
	return min(learned, declared), max(learned, declared)
}

// likelySpeed is a rank's speed as moves tell it, whether that is believed or not.
func likelySpeed(v *View, rank int) (least, most float64) {
	speeds := v.Learned.Speeds
	if v.Learned.Told != nil {
		speeds = v.Learned.Told.Speeds
	}
	return speeds[rank], speeds[rank]
}

// leastAvailable keeps a share of nothing from making times infinite.
const leastAvailable = 1e-6

// report is the audits of some ranks, by rank.
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
