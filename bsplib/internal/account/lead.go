package account

import (
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// This file is what rank 0 makes of a batch: the entries of its supersteps.
//
// An entry costs some 0.2 us, as much as a short superstep may take in all. So once there
// are some thousand, short supersteps that end at the same place are added up before they
// are entered, with sums that are exact.

// lead is what only rank 0 has.
type lead struct {
	shipments []shipment     // of the last batch, by rank
	speeds    []float64      // by rank, as declared
	speed     float64        // of all ranks together
	fastest   float64        // of all ranks
	groups    []group        // open ones, in the order of their first supersteps
	hosts     []string       // by rank
	granted   []granted      // by rank
	paces     []pace         // by rank, nil on emulated platforms
	saving    *ledger.Saving // not entered yet
	progress  progress
	names     map[int64]string // of sites
}

// group adds up consecutive supersteps that ended at one place; others may have ended
// elsewhere in between.
type group struct {
	step    ledger.Step
	site    int64
	cpu     []time.Duration // by rank, in which it ran
	all     float64         // nanoseconds at speed 1 of all processes
	longest float64         // of each superstep's process with most
}

const (
	// alone is how many supersteps of a run are entered one by one, however short.
	alone = 4096
	// groupSpan is how long supersteps of a group take together: entering it costs up to a
	// thousandth of that.
	groupSpan = 500 * time.Microsecond
)

// takeOver takes in what the stand-in has kept while rank 0 was away.
func (a *Account) takeOver() {
	for i := range a.lead.shipments {
		if s := &a.lead.shipments[i]; len(s.Steps) > 0 || len(s.Ends) > 0 {
			a.steps = append(a.steps, s.Steps...)
			a.loads.ends = append(a.loads.ends, s.Ends...)
		}
	}
}

// takeLooks takes in what ranks have found out about their machines.
func (a *Account) takeLooks() {
	if a.lead.paces == nil {
		return
	}
	for rank := range a.lead.shipments {
		l := a.lead.shipments[rank].Looks
		if a.settings.Together {
			l = a.lead.shipments[0].Looks
		}
		if len(l) > 0 {
			a.lead.granted[rank].look = l[0]
			a.lead.paces[rank].quota = l[0].Quota
		}
	}
}

// enterBatch enters the batch's supersteps, and the windows of loads that end in it.
func (a *Account) enterBatch() {
	width := a.groupWidth()
	for i := range a.steps {
		g := a.groupOf(a.siteOf(i), a.steps[i])
		a.add(g, i)
		switch last := g.step.Last; {
		case a.loads.endsWith(last):
			a.enterGroups()
			a.loads.endWindow(a)
		case g.step.Count >= width:
			a.enterGroups()
		}
	}
	a.enterGroups()
	if a.loads.on {
		a.loads.fill(a, math.MaxInt)
	}
}

// groupWidth is how many of the batch's supersteps may be entered as one: only those that
// nobody looks at one by one, and that are of this machine's time.
func (a *Account) groupWidth() int {
	book, n := a.settings.Book, len(a.steps)
	if n < 2 || a.lead.paces == nil || book.Table != nil || book.Steps() < alone {
		return 1
	}
	mean := (a.steps[n-1].begun - a.steps[0].begun) / time.Duration(n-1)
	return int(groupSpan / max(mean, groupSpan/batchSteps))
}

// siteOf is where the i-th superstep of the batch ended, 0 if no rank knows.
func (a *Account) siteOf(i int) int64 {
	for rank := range a.lead.shipments {
		if batch := a.lead.shipments[rank].Batch; i < len(batch) && batch[i].site != 0 {
			return batch[i].site
		}
	}
	return 0
}

// groupOf is the group of supersteps that ended at a site, a new one if there is none.
func (a *Account) groupOf(site int64, at moment) *group {
	for i := range a.lead.groups {
		if a.lead.groups[i].site == site {
			return &a.lead.groups[i]
		}
	}
	n := len(a.lead.groups)
	a.lead.groups = slices.Grow(a.lead.groups, 1)[:n+1]
	g := &a.lead.groups[n]
	if ranks := len(a.lead.speeds); g.cpu == nil {
		g.step.Work, g.cpu = make([]time.Duration, ranks), make([]time.Duration, ranks)
	}
	clear(g.step.Work)
	clear(g.cpu)
	g.step = ledger.Step{First: int(at.number), At: at.begun, Site: a.siteName(site), Ranks: len(a.lead.speeds), Work: g.step.Work, SlowestRank: -1, Slowest: -1}
	g.site, g.all, g.longest = site, 0, 0
	return g
}

// add adds what all ranks measured of the i-th superstep of the batch.
func (a *Account) add(g *group, i int) {
	s := &g.step
	var (
		first, slowest *measured // of the ranks that took part
		comm, least    time.Duration
		h              int64
		ways           [ledger.Ways]int64
		longest        float64
		slowestRank    int
	)
	for rank := range a.lead.shipments {
		batch := a.lead.shipments[rank].Batch
		if i >= len(batch) {
			least = 0
			continue
		}
		m := &batch[i]
		s.Work[rank] += m.work
		s.WorkSum += m.work
		s.DeniedSum += m.work - m.cpu
		g.cpu[rank] += m.cpu
		g.all += float64(m.cpu) * a.lead.speeds[rank]
		longest = max(longest, float64(m.worst)*a.lead.speeds[rank])
		if rank == 0 || m.work < least {
			least = m.work
		}
		if first == nil {
			first, comm = m, m.barrier
		}
		comm = min(comm, m.barrier)
		if slowest == nil || m.work > slowest.work {
			slowest, slowestRank = m, rank
		}
		h = max(h, m.h)
		for way := range ways { // a copy of the array takes longer than all else here
			ways[way] = max(ways[way], m.ways[way])
		}
	}
	if s.SlowestRank < 0 || slowest.work > s.Longest {
		s.SlowestRank, s.Slowest, s.SlowestWork = slowestRank, int(slowest.slow), slowest.slowest
		s.Longest = slowest.work
	}
	s.Last = int(a.steps[i].number)
	s.Count++
	s.WorkMax += slowest.work
	s.WorkMin += least
	s.Denied += slowest.work - slowest.cpu
	s.Comm += comm
	s.Total += first.took
	s.H += h
	left := int64(0)
	for way := range s.Ways {
		s.Ways[way] += ways[way]
		if way != int(ledger.WithinRank) {
			left += ways[way]
		}
	}
	if h > 0 && (left > 0 || ways[ledger.WithinRank] == 0) {
		s.Talks++
	}
	g.longest += longest
}

// enterGroups enters what has been added up, and the window of loads that ends with it.
func (a *Account) enterGroups() {
	for i := range a.lead.groups {
		g := &a.lead.groups[i]
		s := &g.step
		if s.Count == 1 {
			s.Longest = 0 // it is WorkMax
		}
		for rank, cpu := range g.cpu {
			a.lead.granted[rank].elapsed += s.Work[rank]
			a.lead.granted[rank].cpu += cpu
			if a.lead.paces != nil {
				a.lead.paces[rank].see(seconds(cpu), seconds(s.Work[rank]))
			}
		}
		speed, fastest := a.capable()
		s.Least = min(s.WorkMax, time.Duration(max(g.all/speed, g.longest/fastest)))
		a.settings.Book.Enter(s)
		if a.loads.on {
			a.loads.window.Steps(s)
		}
	}
	a.lead.groups = a.lead.groups[:0]
}

// capable is what all ranks together can do in a second at present, and the fastest of them.
func (a *Account) capable() (all, fastest float64) {
	if a.lead.paces == nil {
		return a.lead.speed, a.lead.fastest
	}
	for rank, speed := range a.lead.speeds {
		speed *= a.lead.paces[rank].share()
		all += speed
		fastest = max(fastest, speed)
	}
	return all, fastest
}

// anchor is a place in the program by which others are named: ranks with the same
// program may have it at different addresses.
var anchor = reflect.ValueOf(New).Pointer()

// siteName is file:line of a place where a superstep ended.
func (a *Account) siteName(site int64) string {
	if site == 0 {
		return "end"
	}
	name, known := a.lead.names[site]
	if !known {
		if a.lead.names == nil {
			a.lead.names = make(map[int64]string)
		}
		name = a.settings.SiteName(uintptr(site + int64(anchor)))
		a.lead.names[site] = name
	}
	return name
}
