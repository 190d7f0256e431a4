package account

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account/capacity"
	"github.com/migbsp/migbsp/bsplib/internal/account/progress"
	"github.com/migbsp/migbsp/ledger"
)

// Rank 0 converts batches to entries in this file.
//
// An entry costs about 0.2 us, the duration of a very short superstep. After some thousand entries,
// short supersteps that end at the same site are therefore summed, exactly, before they are entered.

// lead is the part of the account that only rank 0 keeps.
type lead struct {
	shipments []shipment // the last batch, by rank
	ranks     capacity.Ranks
	groups    []group            // open groups, in the order of their first supersteps
	window    *ledger.LoadWindow // nil unless a record is written
	ends      []int64            // ends of windows not yet entered
	progress  progress.Teller
	until     time.Duration // end of the last superstep or call
}

// group sums supersteps that ended at the same site. They need not be consecutive.
type group struct {
	step    ledger.Step
	site    int64
	cpu     []time.Duration // CPU time by rank
	all     float64         // CPU time of all processes, nanoseconds at speed 1
	longest float64         // sum over supersteps of the largest CPU time of a process, nanoseconds at speed 1
}

const (
	// alone is the number of supersteps at the start of a run that are entered one by one.
	alone = 4096
	// groupSpan is the total duration of a group's supersteps. Entering the group costs up to
	// a thousandth of it.
	groupSpan = 500 * time.Microsecond
)

// enterBatch enters the shipped supersteps, the last of which is step-1, and the windows of
// loads that end in them.
func (a *Account) enterBatch(step int) {
	n, old := 0, len(a.lead.ends)
	var first []measured // batch of the first participating rank
	for rank := range a.lead.shipments {
		s := &a.lead.shipments[rank]
		if len(s.Batch) > n {
			n, first = len(s.Batch), s.Batch
		}
		a.Warn(s.Notes...)
		s.rest = s.Loads
		if len(a.lead.ends) == old { // windows are the same on all ranks that have any
			a.lead.ends = append(a.lead.ends, s.Loads.Ends...)
		}
		if a.settings.Together {
			s = &a.lead.shipments[0]
		}
		if len(s.Looks) > 0 {
			a.lead.ranks[rank].Looked(s.Looks[0])
		}
	}
	width := a.groupWidth(first)
	for i := range n {
		number := step - n + i
		g := a.groupOf(a.siteOf(i))
		a.add(g, &first[i], i, number)
		ends := len(a.lead.ends) > 0 && number+1 >= int(a.lead.ends[0])
		if ends || g.step.Count >= width {
			a.enterGroups()
		}
		if ends {
			a.closeWindow()
		}
	}
	a.enterGroups()
	a.fillWindow(math.MaxInt)
}

// closeWindow enters the window whose supersteps have been entered.
func (a *Account) closeWindow() {
	end := int(a.lead.ends[0])
	if a.lead.ends = a.lead.ends[1:]; len(a.lead.ends) == 0 && a.loads.Whole() {
		end = math.MaxInt // the window was closed early
	}
	a.fillWindow(end)
	a.lead.window.Close(func(l *ledger.Load) { a.settings.Book.Enter(l) })
}

// fillWindow adds the shipped loads of windows up to the given end.
func (a *Account) fillWindow(end int) {
	for rank := range a.lead.shipments {
		a.lead.shipments[rank].rest.Fill(a.lead.window, end, a.SiteName)
	}
}

// groupWidth returns the number of supersteps of a batch that may be entered as one entry.
// It is 1 if the run is emulated, prints a table, or has entered fewer than alone supersteps.
func (a *Account) groupWidth(of []measured) int {
	if book := a.settings.Book; len(of) < 2 || a.settings.Clock.Emulated() || book.Table != nil || book.Steps() < alone {
		return 1
	}
	mean := (of[len(of)-1].begun - of[0].begun) / time.Duration(len(of)-1)
	return int(groupSpan / max(mean, groupSpan/batchSteps))
}

// siteOf returns the site where the i-th superstep of the batch ended, 0 if unknown.
func (a *Account) siteOf(i int) (site int64) {
	for rank := range a.lead.shipments {
		if batch := a.lead.shipments[rank].Batch; i < len(batch) {
			site = cmp.Or(site, batch[i].site)
		}
	}
	return site
}

// groupOf returns the open group of a site, adding a group if necessary.
func (a *Account) groupOf(site int64) *group {
	for i := range a.lead.groups {
		if a.lead.groups[i].site == site {
			return &a.lead.groups[i]
		}
	}
	n, ranks := len(a.lead.groups), len(a.lead.ranks)
	a.lead.groups = slices.Grow(a.lead.groups, 1)[:n+1]
	g := &a.lead.groups[n]
	if g.cpu == nil {
		g.step.Work, g.cpu = make([]time.Duration, ranks), make([]time.Duration, ranks)
	}
	clear(g.step.Work)
	clear(g.cpu)
	*g = group{step: ledger.Step{Site: a.SiteName(site), Work: g.step.Work}, site: site, cpu: g.cpu}
	return g
}

// add adds the measurements of all ranks for the i-th superstep of the batch, which has the
// given number. first is the measurement of the first participating rank.
func (a *Account) add(g *group, first *measured, i, number int) {
	longest := 0.0
	s := ledger.Step{First: number, Last: number, Count: 1, At: first.begun, Ranks: len(g.cpu), SlowestRank: -1, WorkMin: math.MaxInt64, Comm: first.barrier}
	for rank := range a.lead.shipments {
		batch := a.lead.shipments[rank].Batch
		if i >= len(batch) {
			s.WorkMin = 0
			continue
		}
		m, speed := &batch[i], a.lead.ranks[rank].Speed
		g.step.Work[rank] += m.work
		g.cpu[rank] += m.cpu
		g.all += float64(m.cpu) * speed
		longest = max(longest, float64(m.worst)*speed)
		s.WorkSum += m.work
		s.DeniedSum += m.work - m.cpu
		s.WorkMin, s.Comm = min(s.WorkMin, m.work), min(s.Comm, m.barrier)
		if s.SlowestRank < 0 || m.work > s.WorkMax {
			s.WorkMax, s.Denied = m.work, m.work-m.cpu
			s.SlowestRank, s.Slowest, s.SlowestWork = rank, int(m.slow), m.slowest
		}
		s.H = max(s.H, m.h)
		for way := range s.Ways { // copying the array would take longer than the rest of the loop
			s.Ways[way] = max(s.Ways[way], m.ways[way])
		}
	}
	// If the first rank has changed, its superstep may overlap the last superstep or call here.
	s.Total = first.took - min(max(0, a.lead.until-first.begun), first.took)
	a.lead.until = first.begun + first.took
	if s.H > 0 && (s.Left() > 0 || s.Ways[ledger.WithinRank] == 0) {
		s.Talks = 1
	}
	g.step.Add(&s)
	g.longest += longest
}

// enterGroups enters the open groups and adds them to the open window of loads.
func (a *Account) enterGroups() {
	for i := range a.lead.groups {
		g := &a.lead.groups[i]
		s := &g.step
		if s.Count == 1 {
			s.Longest = 0 // equal to WorkMax
		}
		for rank, cpu := range g.cpu {
			a.lead.ranks[rank].Worked(s.Work[rank], cpu)
		}
		speed, fastest := a.lead.ranks.Able()
		s.Least = min(s.WorkMax, time.Duration(max(g.all/speed, g.longest/fastest)))
		a.settings.Book.Enter(s)
		if a.lead.window != nil {
			a.lead.window.Steps(s)
		}
	}
	a.lead.groups = a.lead.groups[:0]
}

// anchor is the base address of sites. Ranks may load the program at different addresses.
var anchor = reflect.ValueOf(New).Pointer()

// SiteOf returns the number of a site, which is the same on all ranks, or 0 for no site.
func SiteOf(site uintptr) int64 {
	if site == 0 {
		return 0
	}
	return int64(site) - int64(anchor)
}

// SiteName returns the file:line of a site by its number, or "end" for 0.
func (a *Account) SiteName(site int64) string {
	if site == 0 {
		return "end"
	}
	return a.settings.SiteName(uintptr(site + int64(anchor)))
}
