package ledger

import (
	"cmp"
	"slices"
)

// LoadWindow adds up the work and messages of processes in consecutive supersteps: a Load
// for each site where they ended. The next window reuses its memory.
type LoadWindow struct {
	procs        int
	sites        []gathered // positions of this window, in the order of first occurrence
	stray        gathered   // of supersteps whose site is not known
	state        []int64
	stateWritten bool // the last Load with a State has the present states
}

// gathered is a Load that grows.
type gathered struct {
	Load Load
	fits int // messages until pairs are looked for
}

// NewLoadWindow returns an empty window of procs processes.
func NewLoadWindow(procs int) *LoadWindow { return &LoadWindow{procs: procs, stateWritten: true} }

// Step enters a superstep that ended at a site.
func (w *LoadWindow) Step(number int, site string) {
	w.Steps(&Step{First: number, Last: number, Count: 1, Site: site})
}

// Steps enters supersteps that ended at one site.
func (w *LoadWindow) Steps(s *Step) {
	g := w.find(s.Site)
	if g == nil {
		n := len(w.sites)
		w.sites = slices.Grow(w.sites, 1)[:n+1] // maybe with memory of another window
		g = &w.sites[n]
		g.reset(w.procs)
		g.Load.First, g.Load.Site = s.First, s.Site
	}
	g.Load.Last = s.Last
	g.Load.Count += s.Count
}

func (w *LoadWindow) find(site string) *gathered {
	for i := range w.sites {
		if w.sites[i].Load.Site == site {
			return &w.sites[i]
		}
	}
	return nil
}

// Work adds the work of a process in supersteps that ended at a site, as its rank measured
// it. If Step has not been called with the site, the window becomes one Load of
// SeveralSites.
func (w *LoadWindow) Work(site string, pid int, seconds float64) {
	w.at(site).Load.Work[pid] += seconds
}

// Send adds a message in such supersteps. A message of a process to itself is left out.
func (w *LoadWindow) Send(site string, m Message) {
	if m.From == m.To {
		return
	}
	g := w.at(site)
	if g.Load.Messages = append(g.Load.Messages, m); len(g.Load.Messages) >= g.fits {
		g.Load.Messages = Join(g.Load.Messages)
		g.fits = max(leastFits, 2*len(g.Load.Messages))
	}
}

const leastFits = 1 << 10

func (w *LoadWindow) at(site string) *gathered {
	if g := w.find(site); g != nil {
		return g
	}
	if len(w.stray.Load.Work) == 0 {
		w.stray.reset(w.procs)
	}
	return &w.stray
}

// Over adds seconds that supersteps which ended at a site take on any platform.
func (w *LoadWindow) Over(site string, seconds float64) { w.at(site).Load.Over += seconds }

// State sets the bytes that a move of a process would take along from now on.
func (w *LoadWindow) State(pid int, bytes int64) {
	if w.state == nil {
		w.state = make([]int64, w.procs)
	}
	w.stateWritten = w.stateWritten && w.state[pid] == bytes
	w.state[pid] = bytes
}

// Close passes the Loads of the window to enter, which must not keep them, and begins another.
func (w *LoadWindow) Close(enter func(*Load)) {
	if len(w.stray.Load.Work) > 0 && len(w.sites) > 0 {
		w.mix()
	}
	for i := range w.sites {
		l := &w.sites[i].Load
		if l.State = nil; !w.stateWritten {
			l.State, w.stateWritten = w.state, true
		}
		l.Messages = thinned(Join(l.Messages), w.procs)
		enter(l)
	}
	w.sites, w.stray.Load.Work = w.sites[:0], w.stray.Load.Work[:0]
}

// mix merges all positions into one.
func (w *LoadWindow) mix() {
	all := &w.sites[0]
	for i := range w.sites[1:] {
		g := &w.sites[1+i]
		all.Load.Site = SeveralSites
		all.Load.First, all.Load.Last = min(all.Load.First, g.Load.First), max(all.Load.Last, g.Load.Last)
		all.Load.Count += g.Load.Count
		all.take(g)
	}
	all.take(&w.stray)
	w.sites = w.sites[:1]
}

// take adds another's work and messages.
func (g *gathered) take(other *gathered) {
	for pid, work := range other.Load.Work {
		g.Load.Work[pid] += work
	}
	g.Load.Messages = append(g.Load.Messages, other.Load.Messages...)
	g.Load.Over += other.Load.Over
}

func (g *gathered) reset(procs int) {
	work := slices.Grow(g.Load.Work[:0], procs)[:procs]
	clear(work)
	*g = gathered{Load: Load{Work: work, Messages: g.Load.Messages[:0]}, fits: leastFits}
}

// Join sorts messages by receiver and sender, and merges those of each pair. It reuses the memory of
// the list.
func Join(all []Message) []Message {
	order := func(a, b Message) int { return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From)) }
	pairs := true // each is there once, in order
	for i := 1; i < len(all) && pairs; i++ {
		pairs = order(all[i-1], all[i]) < 0
	}
	if pairs {
		return all
	}
	slices.SortStableFunc(all, order)
	kept := all[:0]
	for _, m := range all {
		if n := len(kept); n > 0 && order(kept[n-1], m) == 0 {
			kept[n-1].Bytes += m.Bytes
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

// loadPace sets the number of supersteps in a Load of a Recorder.
type loadPace struct {
	width int // supersteps
	taken int // the width that LoadWidth returned last
	bytes int // written at this width
	all   int // written at all
}

// mostLoadBytes bounds the bytes of Loads of one width in a record. The first fewLoadBytes of all
// Loads are written at any cost.
const (
	mostLoadBytes = 4 << 20
	fewLoadBytes  = 1 << 19
)

func (p *loadPace) few() bool { return p.all < fewLoadBytes }

// widen doubles the width, unless LoadWidth has not been called since the last time.
func (p *loadPace) widen() {
	p.bytes = 0
	if p.width == p.taken && p.width < 1<<30 {
		p.width *= 2
	}
}
