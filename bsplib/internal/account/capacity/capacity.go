// Package capacity measures the share of a core that each rank of a run gets from its host,
// and attributes the time in which its processes were ready but did not run.
package capacity

import (
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/probe"
)

// Look is a rank's measurement of its machine since its Looker was created.
type Look struct {
	probe.Contention         // causes that kept the rank from running
	Quota            float64 // CPU quota of its control group, as a part of a core
	Shared           float64 // cores that all ranks of its node may use together
	Process          uint64  // probe.ProcessKey
	Cores            uint64  // probe.CoresKey
}

// Looker samples the machine periodically. Its counters start at NewLooker.
type Looker struct {
	machine func() Look
	base    probe.Contention
	next    time.Duration
}

// A rank samples its machine every lookEvery, or less often so that sampling, which reads a
// dozen small files, takes at most 1/lookShare of the time.
const (
	lookEvery = time.Second
	lookShare = 2000
)

// NewLooker returns a Looker whose counters start now.
func NewLooker(machine func() Look) *Looker {
	return &Looker{machine: machine, base: machine().Contention}
}

// Look returns a new sample if one is due or last is true.
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

// Rank accumulates the capacity that a rank has got so far. Its share is the part of a core
// that it gets: CPU time divided by elapsed time of its work, with older work fading. The
// share is at most the quota, because quota that a rank with little work has saved up would
// soon be spent.
type Rank struct {
	Host  string
	Speed float64 // as declared

	elapsed, cpu time.Duration
	look         Look
	quota        float64
	ran, worked  float64 // seconds that count for the share
}

const (
	// shareMemory is the work, in seconds, after which older work counts half or less. It
	// spans several quota periods and many time slices, but lets the share follow a change
	// of a host's load within a few slow supersteps.
	shareMemory = 2.0
	// shareBelieved is the work, in seconds, after which the measured share counts as much as
	// the quota. A larger value would delay detection in short supersteps.
	shareBelieved = 200e-6
	// leastShare is the lower bound of a share, for ranks that got no CPU time.
	leastShare = 0.001
)

// NewRank returns a Rank without work, with a quota of one core.
func NewRank(host string, speed float64) Rank { return Rank{Host: host, Speed: speed, quota: 1} }

// Worked adds the elapsed time and the CPU time of work.
func (r *Rank) Worked(elapsed, cpu time.Duration) {
	r.elapsed += elapsed
	r.cpu += cpu
	span := float64(elapsed) * 1e-9 // Seconds divides, which doubles the cost of this function
	keep := shareMemory / (shareMemory + span)
	r.ran = r.ran*keep + min(float64(cpu)*1e-9, span)
	r.worked = r.worked*keep + span
}

// Looked stores the rank's latest sample.
func (r *Rank) Looked(l Look) { r.look, r.quota = l, l.Quota }

// share returns the current estimate of the rank's share of a core.
func (r *Rank) share() float64 {
	share := (shareBelieved*r.quota + r.ran) / (shareBelieved + r.worked)
	return max(leastShare, min(1, r.quota, share))
}

// Ranks are all ranks of a run.
type Ranks []Rank

// Able returns the current effective speed of all ranks together, and of the fastest rank.
func (all Ranks) Able() (together, fastest float64) {
	for i := range all {
		speed := all[i].Speed * all[i].share()
		together += speed
		fastest = max(fastest, speed)
	}
	return together, fastest
}

// Entry returns the record entry for the capacity of all ranks until a time.
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

// rivals is the processor time used on a rank's cores by other ranks of the run and by other
// programs. The time of a process is divided equally among its ranks.
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

// quotaReached is the maximum ratio of measured share to quota at which a rank may have
// exhausted its quota. The share can exceed the quota because quotas are granted in periods
// and a little is saved up.
const quotaReached = 1.2

// divide attributes the time of a rank's work in which it did not run to causes. The kernel's
// counters also include other times, as when the rank spins in the barrier. If they exceed
// the lost time, each cause gets a proportional part; the remainder, if any, is Other. A rank
// that exhausted its quota would have taken as long without rivals, because they ran while it
// was throttled; only the time lost beyond its quota is attributed to them.
func divide(elapsed, cpu, quota float64, seen probe.Contention, r rivals) (d ledger.Denied) {
	lost := max(0, elapsed-cpu)
	ready := seen.Delay / max(1, r.together)
	delay := max(0, ready-seen.Throttled)
	d.Throttled, d.Stolen = seen.Throttled, seen.Stolen
	if used := r.ranks + r.programs; used > 0 {
		d.Shared, d.Foreign = delay*r.ranks/used, delay*r.programs/used
	}
	least := 0.0 // time lost to the quota alone
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
