package rebalancer

import (
	"math"
	"slices"
)

// What the run would have taken elsewhere.
//
// A shadow is a mapping that the run does not have: the one that it began with, and one
// that did well. What a superstep would have taken with a shadow follows from what is
// measured anyway. Let w(r,h,t) be the work that the processes on rank r did in superstep t
// of those that the shadow has on rank h, and wall(r,t) the seconds that rank r computed
// for. Then
//
//	rate(h,t)   = sum of w(h,.,t) / wall(h,t), or speed times share where h computed nothing
//	shadow(t)   = max over h of (sum over r of w(r,h,t)) / rate(h,t)
//	real(t)     = max over r of wall(r,t)
//
// where time in which processes slept or waited for files is no part of w and wall(h,t), and is added
// to the shadow again. This has no model in it but that work takes as long anywhere as the speeds say. Only
// messages and barriers are predicted for both, as a mean, and what was measured beyond
// that counts for both alike.
//
// A rank with a quota runs at full speed until that is used up, and waits then: with little to do
// it seems faster than it would be with more. So there is a second time, in which each such h
// that has less to do than with the shadow does the work at the rate that it can keep up, speed
// times its quota. Where a superstep of the shadow is longer than that, its messages included,
// quotas are never used up, and the shadow is right; else it computes for that long.
//
// Each rank keeps w and wall of its own processes in some of the supersteps since the last
// call, spread evenly, and reports them; samples.go has what they say of all supersteps. Where all
// processes are where the shadow has them there is nothing to keep: both take the same.

const (
	// fullWork is the part of a shadow's work on a rank with which the rank shows what it can give.
	fullWork = 0.9
	// quotaPeriod is how many seconds of supersteps use up one quota together.
	quotaPeriod = 0.1
)

// auditor keeps the audits of an observer's ranks.
type auditor struct {
	shadows [][]int32 // mappings: the start, and if there is one the best
	away    bool      // some process is elsewhere than in a shadow

	seen   []int     // by class, observations since the last call,
	stride int       // of which one in stride is kept
	kept   []draw    // by sample
	audits []Audit   // by rank, of those that have processes of this observer
	at     []int32   // by rank: place in audits, -1 if it is not there
	part   [][]int32 // by shadow, by process of an observation: place in Parts

	exposure float64   // seconds lost to the start since the last call, as far as this observer sees
	wall     []float64 // by rank, of the superstep under way
	done     []float64 // by rank where it ran, work of it
	home     []float64 // by rank of the start, work of it
	waits    []float64 // by rank where it ran, of wall
	homeWait []float64 // the same by rank of the start
}

// restart begins the time after a call, with the mapping that it left.
func (a *auditor) restart(where []int32) {
	if a == nil {
		return
	}
	a.stride, a.audits, a.at, a.part, a.exposure = 1, nil, nil, nil, 0
	clear(a.seen)
	a.kept = a.kept[:0]
	a.away = false
	for _, shadow := range a.shadows {
		for pid, rank := range shadow {
			if where[pid] != rank {
				a.away = true
				return
			}
		}
	}
}

// lay makes room for the processes of an observation.
func (a *auditor) lay(o *Observation, where []int32, ranks int) {
	a.at = make([]int32, ranks)
	for rank := range a.at {
		a.at[rank] = -1
	}
	a.part = make([][]int32, len(a.shadows))
	for k := range a.part {
		a.part[k] = make([]int32, len(o.Processes))
	}
	for i := range o.Processes {
		pid := o.Processes[i].Pid
		rank := where[pid]
		if a.at[rank] < 0 {
			a.at[rank] = int32(len(a.audits))
			a.audits = append(a.audits, Audit{Rank: int(rank)})
		}
		audit := &a.audits[a.at[rank]]
		for k, shadow := range a.shadows {
			a.part[k][i] = audit.partOf(k, int(shadow[pid]))
		}
	}
	a.wall, a.done, a.home = make([]float64, ranks), make([]float64, ranks), make([]float64, ranks)
	a.waits, a.homeWait = make([]float64, ranks), make([]float64, ranks)
}

// partOf is the place of a shadow's rank in Parts, which is made if there is none yet.
func (u *Audit) partOf(shadow, home int) int32 {
	for i := range u.Parts {
		if u.Parts[i].Shadow == shadow && u.Parts[i].Home == home {
			return int32(i)
		}
	}
	u.Parts = append(u.Parts, HomeWork{Shadow: shadow, Home: home})
	return int32(len(u.Parts) - 1)
}

// observe takes in a superstep; speeds and shares of ranks are as last known to all.
func (a *auditor) observe(o *Observation, where []int32, speeds, shares []float64) {
	if a.at == nil || len(a.part[0]) != len(o.Processes) {
		a.audits, a.kept = nil, a.kept[:0]
		a.lay(o, where, len(speeds))
	}
	keep := a.draw(min(o.Class, mostClasses-1))
	for _, list := range [][]float64{a.wall, a.done, a.home, a.waits, a.homeWait} {
		clear(list)
	}
	for i := range o.Processes {
		m := &o.Processes[i]
		rank := where[m.Pid]
		span := max(m.Time, m.Span)
		if o.Overlap {
			// The rank is done when the last of its processes is.
			a.wall[rank] = max(a.wall[rank], span)
		} else {
			a.wall[rank] += span
		}
		wait := m.Wait
		if o.Overlap {
			wait = 0
		}
		work := (m.Time - wait) * speeds[rank]
		a.done[rank] += work
		a.home[a.shadows[0][m.Pid]] += work
		a.waits[rank] += wait
		a.homeWait[a.shadows[0][m.Pid]] += wait
		if !keep {
			continue
		}
		audit := &a.audits[a.at[rank]]
		for k := range a.shadows {
			part := &audit.Parts[a.part[k][i]]
			part.Work[len(part.Work)-1] += float32(work)
			if wait > 0 && part.Wait == nil {
				part.Wait = make([]float32, len(part.Work), cap(part.Work))
			}
			if wait > 0 {
				part.Wait[len(part.Wait)-1] += float32(wait)
			}
		}
	}
	real, start := 0.0, 0.0
	for rank, wall := range a.wall {
		rate := speeds[rank] * max(leastAvailable, shares[rank])
		if wall > a.waits[rank] && a.done[rank] > 0 {
			rate = a.done[rank] / (wall - a.waits[rank])
		}
		real, start = max(real, wall), max(start, a.home[rank]/rate+a.homeWait[rank])
		if keep && a.at[rank] >= 0 {
			list := a.audits[a.at[rank]].Wall
			list[len(list)-1] = float32(wall)
		}
	}
	a.exposure += (real - start) * float64(max(1, o.Count))
}

// draw decides whether the next superstep of a class is a sample, and begins it.
func (a *auditor) draw(class int) (keep bool) {
	for len(a.seen) <= class {
		a.seen = append(a.seen, 0)
	}
	d := draw{class, a.seen[class]}
	a.seen[class]++
	if keep = d.stays(a.stride); keep && len(a.kept) == auditSamples {
		a.stride *= auditThin
		a.eachList(a.thinned)
		a.kept = slices.DeleteFunc(a.kept, func(d draw) bool { return !d.stays(a.stride) })
		keep = d.stays(a.stride)
	}
	if keep {
		a.eachList(func(list []float32) []float32 { return append(list, 0) })
		a.kept = append(a.kept, d)
	}
	return keep
}

// eachList changes all lists of figures by sample.
func (a *auditor) eachList(change func(list []float32) []float32) {
	for i := range a.audits {
		u := &a.audits[i]
		u.Wall = change(u.Wall)
		for k := range u.Parts {
			part := &u.Parts[k]
			part.Work = change(part.Work)
			if part.Wait != nil {
				part.Wait = change(part.Wait)
			}
		}
	}
}

// thinned leaves in a list the samples that stay.
func (a *auditor) thinned(list []float32) []float32 {
	n := 0
	for i, d := range a.kept {
		if d.stays(a.stride) {
			list[n] = list[i]
			n++
		}
	}
	return list[:n]
}

// audited is what supersteps' computing took since the last call, and would have taken with
// each shadow, on average.
type audited struct {
	series auditSeries
	real   float64
	shadow []float64
	known  bool // something was kept: some process is not where all shadows have it
}

// newAudited evaluates the audits; exchanges are what messages and barriers take with each shadow.
func newAudited(v View, samples sampled, speeds speedsOf, exchanges []float64) audited {
	return newAuditSeries(v, samples, speeds, len(exchanges)).audited(exchanges)
}

// speedsOf says how fast a rank may be at least and at most.
type speedsOf func(v *View, rank int) (least, most float64)

// auditSeries is samples of what supersteps' computing took, and by shadow and sample what it
// would have taken with it. Kept is, by shadow, what it takes on average at rates that ranks can
// keep up, where supersteps are so short that quotas last for some.
type auditSeries struct {
	Real    sampled
	Shadows [][]float64
	Kept    []float64
}

// newAuditSeries evaluates the audits. They are of work at learned speeds, which count as they may be at
// least and at most: shadows get those that are worse for the balance.
func newAuditSeries(v View, real sampled, speeds speedsOf, shadows int) auditSeries {
	samples := len(real.lengths)
	if samples == 0 {
		return auditSeries{}
	}
	d := auditSeries{Real: real, Shadows: make([][]float64, shadows), Kept: make([]float64, shadows)}
	for k := range d.Shadows {
		d.Shadows[k] = make([]float64, samples)
	}
	walls, works := v.auditedWork(samples)
	took, steps := MeasuredStep(v.Snapshot.Ranks)
	quota := d.Real.lasting(quotaPeriod, took*float64(steps))
	for k := range shadows {
		homes, waits := v.homeWork(k, samples, speeds)
		kepts := make([]float64, (samples+quota-1)/quota) // by samples that share a quota, in their order
		for rank := range walls {
			_, most := speeds(&v, rank)
			wall, work, home := walls[rank], works[rank], homes[rank]
			share, burst := max(leastAvailable, v.Learned.Available[rank]), max(leastAvailable, v.burst(rank))
			kept := math.Inf(1)
			if burst > share && d.Real.mean(work) < fullWork*d.Real.mean(home) {
				kept = most * share
			}
			for s := range samples {
				rate := most * burst
				if work[s] > 0 && wall[s] > 0 {
					rate = work[s] / wall[s] * most / costSpeed(v, rank)
				}
				if took >= quotaPeriod {
					rate = min(rate, kept)
				}
				d.Shadows[k][s] = max(d.Shadows[k][s], home[s]/rate+waits[rank][s])
			}
			for q := range kepts {
				from, to := q*quota, min(samples, (q+1)*quota)
				kepts[q] = max(kepts[q], d.Real.part(home, from, to)/kept+d.Real.part(waits[rank], from, to))
			}
		}
		if took < quotaPeriod {
			d.Kept[k] = sumOf(kepts)
		}
	}
	return d
}

// auditedWork is, by rank and sample, how long ranks computed, without waiting, and what work they did.
func (v *View) auditedWork(samples int) (walls, works [][]float64) {
	walls, works = v.newTable(samples), v.newTable(samples)
	for i := range v.Snapshot.Audits {
		u := &v.Snapshot.Audits[i]
		if len(u.Wall) != samples {
			continue
		}
		for s := range samples {
			work, wait := u.work(s)
			walls[u.Rank][s], works[u.Rank][s] = float64(u.Wall[s])-wait, work
		}
	}
	return walls, works
}

// homeWork is, by rank and sample, the work of the processes that a shadow has there, at least, and how long they wait.
func (v *View) homeWork(shadow, samples int, speeds speedsOf) (homes, waits [][]float64) {
	homes, waits = v.newTable(samples), v.newTable(samples)
	for i := range v.Snapshot.Audits {
		u := &v.Snapshot.Audits[i]
		least, _ := speeds(v, u.Rank)
		sure := least / costSpeed(*v, u.Rank)
		for _, part := range u.Parts {
			if part.Shadow != shadow || len(part.Work) != samples {
				continue
			}
			for s, work := range part.Work {
				homes[part.Home][s] += float64(work) * sure
			}
			if len(part.Wait) == samples {
				for s, wait := range part.Wait {
					waits[part.Home][s] += float64(wait)
				}
			}
		}
	}
	return homes, waits
}

// newTable has a row of samples for each rank.
func (v *View) newTable(samples int) [][]float64 {
	table, all := make([][]float64, len(v.Platform.Ranks)), make([]float64, len(v.Platform.Ranks)*samples)
	for rank := range table {
		table[rank] = all[rank*samples : (rank+1)*samples]
	}
	return table
}

// burst is the share of its processor that a rank gets while its quota lasts.
func (v *View) burst(rank int) float64 {
	if rank < len(v.Snapshot.Ranks) && v.Snapshot.Ranks[rank].Rank == rank && v.Snapshot.Ranks[rank].Burst > 0 {
		return v.Snapshot.Ranks[rank].Burst
	}
	return v.Learned.Available[rank]
}

// audited is means over all supersteps, with what messages and barriers take with each shadow.
func (d auditSeries) audited(exchanges []float64) audited {
	a := audited{series: d, shadow: make([]float64, len(exchanges)), known: len(d.Real.lengths) > 0}
	if !a.known {
		return a
	}
	a.real = d.Real.mean(d.Real.lengths)
	for k, exchange := range exchanges {
		part := throttled(d.Real.mean(d.Shadows[k]), d.Kept[k], exchange)
		for s, burst := range d.Shadows[k] {
			d.Shadows[k][s] = burst*(1-part) + d.Kept[k]*part*ratioOr(d.Real.lengths[s], a.real, 1)
		}
		a.shadow[k] = d.Real.mean(d.Shadows[k])
	}
	return a
}

// throttled is the part of the time in which ranks have no quota left, if they compute for so
// long while it lasts and for so long without: none where a superstep with its exchange is longer
// than the second, and all of it where that is longer by another exchange.
func throttled(burst, kept, exchange float64) float64 {
	switch over := kept - burst - exchange; {
	case over <= 0:
		return 0
	case over >= exchange:
		return 1
	default:
		return over / exchange
	}
}

// doubt is how far off what the start takes may be, of so many supersteps of which there are samples.
func (d *auditSeries) doubt(steps int) float64 {
	if len(d.Shadows) == 0 {
		return 0
	}
	return d.Real.doubt(d.Shadows[0], steps)
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
	learned, declared := costSpeed(*v, rank), declaredSpeed(*v, rank)
	declared = learned * math.Pow(declared/learned, speedDoubt(*v, rank)/speedPrior)
	return min(learned, declared), max(learned, declared)
}

// believedSpeed is a rank's speed as learned.
func believedSpeed(v *View, rank int) (least, most float64) {
	learned := costSpeed(*v, rank)
	return learned, learned
}

// leastAvailable keeps a share of nothing from making times infinite.
const leastAvailable = 1e-6

// work is what the rank's processes did in a sample, and how long they waited.
func (u *Audit) work(sample int) (work, wait float64) {
	for _, part := range u.Parts {
		if part.Shadow != 0 {
			continue
		}
		work += float64(part.Work[sample])
		if len(part.Wait) == len(u.Wall) {
			wait += float64(part.Wait[sample])
		}
	}
	return work, wait
}

// report is the audits of some ranks, by rank.
func (a *auditor) report(ranks []RankState) (list []Audit) {
	if a == nil || a.at == nil {
		return nil
	}
	for _, s := range ranks {
		if a.at[s.Rank] < 0 {
			continue
		}
		u := a.audits[a.at[s.Rank]]
		u.Wall, u.Parts = slices.Clone(u.Wall), slices.Clone(u.Parts)
		for i := range u.Parts {
			u.Parts[i].Work, u.Parts[i].Wait = slices.Clone(u.Parts[i].Work), slices.Clone(u.Parts[i].Wait)
		}
		list = append(list, u)
	}
	return list
}
