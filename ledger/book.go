// Package ledger keeps the account of a run: what each superstep cost, and why.
package ledger

import "time"

// Step is the account of one superstep over all ranks, or of several added up.
type Step struct {
	Site    uint64 // where the superstep ended, for Book.Name; 0 at the end of the program
	Count   int    // supersteps added up; 0 counts as 1
	Ranks   int
	WorkMax time.Duration // of the rank that worked longest
	WorkMin time.Duration // of the one that worked shortest
	WorkSum time.Duration // of all ranks

	SlowestRank int // the rank with WorkMax
	Slowest     int // its slowest process, -1 if it has none
	SlowestWork time.Duration

	H     int64         // bytes: largest of max(sent, received) of any process
	Comm  time.Duration // shortest time a rank spent in the barrier: nobody's waiting
	Total time.Duration // from barrier to barrier on rank 0
}

// WorkAvg is the mean work of a rank.
func (s *Step) WorkAvg() time.Duration { return s.WorkSum / time.Duration(max(s.Ranks, 1)) }

// Imbalance is the longest work over the mean, 1 at best.
func (s *Step) Imbalance() float64 {
	if s.WorkSum == 0 {
		return 1
	}
	return float64(s.WorkMax) * float64(s.Ranks) / float64(s.WorkSum)
}

// Idle is the share of the longest work that ranks waited for it on average.
func (s *Step) Idle() float64 { return 1 - 1/s.Imbalance() }

// add sums two accounts; the slowest is that of the longer single superstep.
func (s *Step) add(t Step) {
	s.Count += t.Count
	s.Ranks = t.Ranks
	if t.SlowestWork > s.SlowestWork {
		s.SlowestRank, s.Slowest, s.SlowestWork = t.SlowestRank, t.Slowest, t.SlowestWork
	}
	s.WorkMax += t.WorkMax
	s.WorkMin += t.WorkMin
	s.WorkSum += t.WorkSum
	s.H += t.H
	s.Comm += t.Comm
	s.Total += t.Total
}

// Book collects the supersteps of a run in memory that does not grow with
// their number: sums by call site, and the course of the run in windows that
// double in length when there are more than maxWindows of them.
type Book struct {
	// Name turns a Step's Site into file:line.
	Name func(site uint64) string
	// Emulation is set for a run on an emulated platform.
	Emulation *Emulation

	sites   []Step // in the order of first appearance
	slowest []map[int]int
	index   map[uint64]int
	windows []Window
	width   int // supersteps in a window
	steps   int
	calls   []Call
}

// Window is the account of consecutive supersteps, First to First+Count-1.
type Window struct {
	First int
	Mixed bool // its supersteps ended at different sites
	Step
}

const maxWindows = 1 << 14

// Add enters the next superstep.
func (b *Book) Add(s Step) {
	s.Count = max(s.Count, 1)
	b.addToSite(s)
	b.addToWindow(s)
	b.steps += s.Count
}

func (b *Book) addToSite(s Step) {
	i, known := b.index[s.Site]
	if !known {
		if b.index == nil {
			b.index = make(map[uint64]int)
		}
		i = len(b.sites)
		b.index[s.Site] = i
		b.sites = append(b.sites, Step{Site: s.Site, SlowestRank: -1, Slowest: -1})
		b.slowest = append(b.slowest, make(map[int]int))
	}
	b.sites[i].add(s)
	b.slowest[i][s.Slowest]++
}

func (b *Book) addToWindow(s Step) {
	b.width = max(b.width, 1)
	if n := len(b.windows); n > 0 && b.windows[n-1].Count < b.width {
		b.windows[n-1].merge(s)
		return
	}
	if len(b.windows) == maxWindows {
		b.halve()
		b.addToWindow(s)
		return
	}
	b.windows = append(b.windows, Window{First: b.steps + 1, Step: s})
}

// merge adds a superstep that may have ended elsewhere.
func (w *Window) merge(s Step) {
	w.Mixed = w.Mixed || w.Site != s.Site
	w.add(s)
}

func (b *Book) halve() {
	for i := range maxWindows / 2 {
		b.windows[i] = b.windows[2*i]
		b.windows[i].merge(b.windows[2*i+1].Step)
		b.windows[i].Mixed = b.windows[i].Mixed || b.windows[2*i+1].Mixed
	}
	b.windows = b.windows[:maxWindows/2]
	b.width *= 2
}

// place names a site.
func (b *Book) place(site uint64) string {
	if site == 0 {
		return "end"
	}
	return b.Name(site)
}

// Steps is the number of supersteps in the book.
func (b *Book) Steps() int { return b.steps }

// Total adds up all supersteps.
func (b *Book) Total() Step {
	t := Step{SlowestRank: -1, Slowest: -1}
	for _, s := range b.sites {
		t.add(s)
	}
	return t
}
