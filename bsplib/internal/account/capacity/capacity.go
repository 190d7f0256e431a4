// Package capacity finds out what the hosts of a run give to its ranks: which part of a core
// each gets, and why its processes did not run when they could have.
package capacity

import (
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/probe"
)

// Look is what a rank has found out about the machine below it since its Looker began.
type Look struct {
	probe.Contention         // what has kept the rank from running
	Quota            float64 // of its control group: the part of a core that it may use
	Shared           float64 // cores that all ranks of its node may use together
	Process          uint64  // probe.ProcessKey
	Cores            uint64  // probe.CoresKey
}

// Looker looks at the machine now and then. What it is told there is counted from some moment on.
type Looker struct {
	machine func() Look
	base    probe.Contention
	next    time.Duration
}

// A rank looks once in lookEvery, or less often where that takes more than one part in
// lookShare of the time: it reads a dozen small files.
const (
	lookEvery = time.Second
	lookShare = 2000
)

// NewLooker begins what is counted.
func NewLooker(machine func() Look) *Looker {
	return &Looker{machine: machine, base: machine().Contention}
}

// Look returns a look if one is due.
func (l *Looker) Look(wall func() time.Duration, last bool) []Look {
	begun := wall()
	if begun < l.next && !last {
		return nil
	}
	seen := l.machine()
	seen.Contention = seen.Since(l.base)
	ended := wall()
	l.next = ended + max(lookEvery, lookShare*(ended-begun))
	return []Look{seen}
}

// Rank is what a rank's processes got so far. Its share is the part of a core that it gets: that in which it ran of the
// time that its work took, the past fading, and no more than its quota, for what a rank with little work has saved up
// would soon be spent.
type Rank struct {
	Host  string
	Speed float64 // as declared

	elapsed, cpu time.Duration
	look         Look
	quota        float64
	ran, worked  float64 // seconds that count for the share
}

const (
	// shareMemory is how many seconds of work it takes for what was before to count half
	// or less: some periods of quotas and many time slices, and hosts whose load changes are
	// seen as they are within a few supersteps that have become slow.
	shareMemory = 2.0
	// shareBelieved is after how many seconds of work what is seen counts as much as the
	// quota: more would be missed in supersteps that are short.
	shareBelieved = 200e-6
	// leastShare keeps a rank in the reckoning that got no time at all.
	leastShare = 0.001
)

// NewRank is a rank that has got nothing yet, and may use a core.
func NewRank(host string, speed float64) Rank { return Rank{Host: host, Speed: speed, quota: 1} }

// Worked adds work: what it took, and the time in which the rank ran.
func (r *Rank) Worked(elapsed, cpu time.Duration) {
	r.elapsed += elapsed
	r.cpu += cpu
	span := float64(elapsed) * 1e-9 // Seconds divides, which takes as long as all else here
	keep := shareMemory / (shareMemory + span)
	r.ran = r.ran*keep + min(float64(cpu)*1e-9, span)
	r.worked = r.worked*keep + span
}

// Looked takes in what the rank has found out.
func (r *Rank) Looked(l Look) { r.look, r.quota = l, l.Quota }

// share is the share as it is seen now.
func (r *Rank) share() float64 {
	share := (shareBelieved*r.quota + r.ran) / (shareBelieved + r.worked)
	return max(leastShare, min(1, r.quota, share))
}

// Ranks are all ranks of a run.
type Ranks []Rank

// Able is what all ranks together can do in a second at present, at speed 1, and the fastest.
func (all Ranks) Able() (together, fastest float64) {
	for i := range all {
		speed := all[i].Speed * all[i].share()
		together += speed
		fastest = max(fastest, speed)
	}
	return together, fastest
}

// Entry is what all ranks' hosts gave until a time.
func (all Ranks) Entry(at time.Duration) *ledger.Capacity {
	c := &ledger.Capacity{At: at.Seconds()}
	for rank, rivals := range all.rivals() {
		g := &all[rank]
		r := ledger.RankCapacity{Elapsed: g.elapsed.Seconds(), CPU: g.cpu.Seconds(), Share: g.share(), Quota: g.quota, Cores: g.look.Shared}
		r.Deny(divide(r.Elapsed, r.CPU, r.Quota, g.look.Contention, rivals))
		c.Ranks = append(c.Ranks, r)
	}
	return c
}

// rivals is the processor time that others used on a rank's cores: other ranks of the run,
// and other programs. Of ranks of one process each has its part.
type rivals struct {
	ranks, programs float64
	together        float64 // ranks of this process
}

func (all Ranks) rivals() []rivals {
	type cores struct {
		host string
		key  uint64
	}
	type process struct {
		on  cores
		key uint64
	}
	own, busy, ranks, of := map[cores]float64{}, map[cores]float64{}, map[process]float64{}, make([]process, len(all))
	for i := range all {
		l, on := &all[i].look, cores{all[i].Host, all[i].look.Cores}
		of[i] = process{on, l.Process}
		if ranks[of[i]]++; ranks[of[i]] == 1 {
			own[on] += l.Own
		}
		busy[on] = max(busy[on], l.Busy)
	}
	others := make([]rivals, len(all))
	for i, p := range of {
		others[i] = rivals{max(0, own[p.on]-all[i].look.Own/ranks[p]), max(0, busy[p.on]-own[p.on]), ranks[p]}
	}
	return others
}

// quotaReached is how far above its quota the share of a rank may seem to be that uses it up:
// quotas are granted in periods, and a little is saved up.
const quotaReached = 1.2

// divide divides the time of a rank's work in which it did not run. What the kernel has
// counted is of other times too, as when the rank spins in the barrier: where it is more
// than the time each cause gets its part, and where it is less something else was waited
// for. A rank that used up its quota would have taken as long without all others: they had
// the core while it was not to run anyway, and only what it got less than that is theirs.
func divide(elapsed, cpu, quota float64, seen probe.Contention, r rivals) (d ledger.Denied) {
	lost := max(0, elapsed-cpu)
	ready := seen.Delay / max(1, r.together)
	delay := max(0, ready-seen.Throttled)
	d.Throttled, d.Stolen = seen.Throttled, seen.Stolen
	if used := r.ranks + r.programs; used > 0 {
		d.Shared, d.Foreign = delay*r.ranks/used, delay*r.programs/used
	}
	least := 0.0 // what the quota takes by itself
	if quota > 0 && quota < 1 && cpu < quotaReached*quota*elapsed {
		least = min(lost, cpu/quota-cpu, max(ready, seen.Throttled))
	}
	d.Throttled = max(0, d.Throttled-least)
	if sum := d.Sum(); sum > lost-least {
		scale := (lost - least) / sum
		d.Throttled, d.Stolen, d.Shared, d.Foreign = d.Throttled*scale, d.Stolen*scale, d.Shared*scale, d.Foreign*scale
	}
	d.Throttled += least
	d.Other = max(0, lost-d.Sum())
	return d
}
