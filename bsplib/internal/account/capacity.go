package account

import (
	"time"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/probe"
)

// look is what a rank has found out about the machine below it since the account began.
type look struct {
	probe.Contention
	Quota   float64 // of its control group: the part of a core that it may use
	Shared  float64 // cores that all ranks of its node may use together
	Process uint64  // probe.ProcessKey
	Cores   uint64  // probe.CoresKey
}

// looker looks now and then.
type looker struct {
	base    probe.Contention
	next    time.Duration
	process uint64
	cores   uint64
}

// A rank looks once in lookEvery, or less often where that takes more than one part in
// lookShare of the time: it reads a dozen small files.
const (
	lookEvery = time.Second
	lookShare = 2000
)

// open begins what is counted.
func (l *looker) open(m Machine) {
	l.base, l.process, l.cores = m.Contention(), probe.ProcessKey(), probe.CoresKey()
}

// look appends a look if one is due.
func (l *looker) look(m Machine, wall func() time.Duration, last bool, to []look) []look {
	begun := wall()
	if begun < l.next && !last {
		return to
	}
	to = append(to, look{Contention: m.Contention().Since(l.base), Quota: m.Quota(), Shared: m.Cores(), Process: l.process, Cores: l.cores})
	ended := wall()
	l.next = ended + max(lookEvery, lookShare*(ended-begun))
	return to
}

// granted is what a rank's processes got so far, on rank 0.
type granted struct {
	elapsed, cpu time.Duration
	look         look
}

// capacity is what all ranks' hosts gave so far.
func (a *Account) capacity() *ledger.Capacity {
	c := &ledger.Capacity{At: a.settings.Clock.Now().Seconds()}
	for rank, rivals := range a.rivals() {
		g := &a.granted[rank]
		r := ledger.RankCapacity{Elapsed: g.elapsed.Seconds(), CPU: g.cpu.Seconds(), Share: a.paces[rank].share(), Quota: a.paces[rank].quota, Cores: g.look.Shared}
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

func (a *Account) rivals() []rivals {
	type place struct {
		host  string
		cores uint64
	}
	type process struct {
		place
		id uint64
	}
	own, busy, ranks := map[place]float64{}, map[place]float64{}, map[process]float64{}
	host := func(rank int) (place, process) {
		g := &a.granted[rank]
		p := place{a.hosts[rank], g.look.Cores}
		return p, process{p, g.look.Process}
	}
	for rank := range a.granted {
		at, of := host(rank)
		l := &a.granted[rank].look
		if ranks[of]++; ranks[of] == 1 {
			own[at] += l.Own
		}
		busy[at] = max(busy[at], l.Busy)
	}
	all := make([]rivals, len(a.granted))
	for rank := range all {
		at, of := host(rank)
		all[rank] = rivals{
			ranks: max(0, own[at]-a.granted[rank].look.Own/ranks[of]), programs: max(0, busy[at]-own[at]), together: ranks[of],
		}
	}
	return all
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
