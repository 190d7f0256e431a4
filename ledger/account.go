package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/migbsp/migbsp/ledger/fit"
)

// Account aggregates a run in memory that does not grow with the run's length: by call site, by rank,
// and in consecutive windows, whose length doubles when their number exceeds maxWindows.
type Account struct {
	Machine   *Machine   // nil until it is known
	Emulation *Emulation // of a run on an emulated platform
	Result    *Result    // the program's own report
	Warnings  []string   // the first ones
	Parts     []RunPart  // of a run that goes on after losses, the current one last
	// Recorder and Table, if not nil, receive every entry.
	Recorder *Recorder
	Table    interface{ Enter(Entry) }

	run      *Run
	calls    *Calls
	totals   *Totals
	before   *Totals // up to the first move
	elapsed  float64 // of a run that has ended
	sites    []Site
	index    map[string]int
	windows  []Window
	width    int       // supersteps in a window
	where    []int32   // ranks of the processes now
	moved    [2][]Flux // by rank, and by Set: of moves to other Sets
	capacity *Capacity
	stale    bool // the last Capacity lacks supersteps that were entered since
	saving   *Saving
	misfits  []string
	drained  []Drain    // hosts that are to stay empty
	expected int        // supersteps by the run's end; 0 if it has none
	course   fit.Course // for Fit
}

// made returns the value of a pointer of an account and makes an empty one the first time.
func made[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}

// Run returns the head of the run, an empty one before it is entered.
func (a *Account) Run() *Run { return made(&a.run) }

// Calls returns the sums of the rescheduling calls.
func (a *Account) Calls() *Calls { return made(&a.calls) }

func (a *Account) whole() *Totals { return made(&a.totals) }

// Totals adds up a part of a run.
type Totals struct {
	Step Step
	// Of Elapsed, in seconds, DecideTime went into rescheduling calls and MoveTime
	// into their moves.
	Elapsed, DecideTime, MoveTime float64
}

// Site is the account of a call site of the program.
type Site struct {
	Step    Step
	slowest map[int]int // supersteps by slowest process
	blurred bool        // of some, only the process of the longest is known
}

// Slowest names the process that was slowest most often at the site.
func (s *Site) Slowest() string {
	best, times := -1, 0
	for pid, n := range s.slowest {
		if n > times || n == times && pid < best {
			best, times = pid, n
		}
	}
	switch {
	case best < 0:
		return "-"
	case s.blurred:
		return fmt.Sprintf("p%d mostly", best)
	}
	return fmt.Sprintf("p%d in %.0f%%", best, 100*float64(times)/float64(s.Step.Count))
}

// Flux counts the processes that came to a rank or Set and that left it.
type Flux struct{ In, Out int }

// add counts a move from one element of all to another.
func add(all []Flux, from, to int) {
	all[from].Out++
	all[to].In++
}

// mostWarnings bounds the warnings that are kept.
const mostWarnings = 20

// Enter adds an entry of the run, and passes it on to the Recorder.
func (a *Account) Enter(e Entry) {
	switch e := e.(type) {
	case *Run:
		*a.Run() = *e
		a.where = e.Mapping.Where()
		a.moved = [2][]Flux{make([]Flux, len(e.Ranks)), make([]Flux, len(e.Sets))}
		a.whole().Step.Work = make([]time.Duration, len(e.Ranks))
	case *Step:
		a.step(e)
	case *Call:
		a.call(e)
	case *Move:
		a.move(e)
	case *Outcome:
		a.Calls().outcome(e)
	case *Capacity:
		a.stale = false
		c := made(&a.capacity)
		c.At, c.Ranks = e.At, append(c.Ranks[:0], e.Ranks...)
	case *Saving:
		*made(&a.saving) = *e
		a.Calls().compare(e)
	case *Drain:
		a.drain(e)
	case *Parts:
		a.Parts = e.List
	case *Warning:
		if len(a.Warnings) < mostWarnings {
			a.Warnings = append(a.Warnings, e.Text)
		}
	case *End:
		a.elapsed, a.expected = e.At, e.Supersteps
		a.Machine, a.Emulation, a.Result = e.Machine, e.Emulation, e.Result
		return
	}
	if run, begins := e.(*Run); begins && a.Recorder != nil {
		a.Recorder.Begin(run)
	} else if a.Recorder != nil {
		a.Recorder.Enter(e)
	}
	if a.Table != nil {
		a.Table.Enter(e)
	}
}

func (a *Account) step(s *Step) {
	a.stale = true
	s.Count = cmp.Or(s.Count, 1)
	s.Last = cmp.Or(s.Last, s.First+s.Count-1)
	i, known := a.index[s.Site]
	if !known {
		if a.index == nil {
			a.index = make(map[string]int)
		}
		i = len(a.sites)
		a.index[s.Site] = i
		a.sites = append(a.sites, Site{Step: Step{Site: s.Site}, slowest: make(map[int]int)})
	}
	a.sites[i].Step.Add(s)
	a.sites[i].slowest[s.Slowest] += s.Count
	a.sites[i].blurred = a.sites[i].blurred || s.Count > 1
	a.addToWindow(s)
	if a.Run().Clock() == "" {
		a.course.Take(s.Count, s.Ended(), s.Talks, &s.Ways)
	}
	a.whole().Step.Add(s)
	a.whole().Elapsed = max(a.whole().Elapsed, (s.At + s.Total).Seconds())
}

// call adds a rescheduling call. It keeps the totals before the first call with moves.
func (a *Account) call(c *Call) {
	if c.Moved > 0 && a.before == nil {
		t := *a.whole()
		t.Step.Work = slices.Clone(t.Step.Work)
		t.Elapsed = c.At
		a.before = &t
	}
	a.whole().DecideTime += c.Took
	a.whole().MoveTime += c.Move
	a.whole().Elapsed = max(a.whole().Elapsed, c.At+c.Took+c.Move)
	a.Calls().add(c)
	if n := len(a.windows); n > 0 {
		a.windows[n-1].Calls++
		a.windows[n-1].Moved += c.Moved
	}
}

func (a *Account) move(m *Move) {
	a.Calls().move(m)
	if m.Pid >= len(a.where) {
		return
	}
	if int(a.where[m.Pid]) != m.From {
		a.misfit("process %d moved from rank %d in call %d, but was on rank %d", m.Pid, m.From, m.Call, a.where[m.Pid])
	}
	a.where[m.Pid] = int32(m.To)
	add(a.moved[0], m.From, m.To)
	if from, to := a.Run().Ranks[m.From].Set, a.Run().Ranks[m.To].Set; from != to {
		add(a.moved[1], from, to)
	}
}

// Steps returns the number of supersteps in the account.
func (a *Account) Steps() int { return a.whole().Step.Count }

// Whole returns the sums of the run, up to now if it has not ended.
func (a *Account) Whole() Totals {
	t := *a.whole()
	if a.elapsed > 0 {
		t.Elapsed = a.elapsed
	}
	return t
}

// Before returns the totals of the run up to its first move, or nil without moves.
func (a *Account) Before() *Totals { return a.before }

// Where returns the rank of each process at the last entry.
func (a *Account) Where() []int32 { return a.where }

// Sites returns the accounts of the source positions where supersteps ended, in the order of first
// occurrence.
func (a *Account) Sites() []Site { return slices.Clone(a.sites) }

// Moved returns the flux of processes of each rank, and of each Set to and from others.
func (a *Account) Moved() (ranks, sets []Flux) { return a.moved[0], a.moved[1] }

// Stop sets the seconds that the run took, by its own clock.
func (a *Account) Stop(elapsed float64) { a.elapsed = elapsed }

// Capacity returns the CPU that the hosts gave to each rank so far; no ranks if it is not
// known.
func (a *Account) Capacity() Capacity { return *made(&a.capacity) }

// Saving returns the comparison of the run with its unmoved shadow, and the seconds spent
// on calls and moves, which a gain has to be reduced by. The comparison is not known for a
// run without moves, before it was measured after the first move, and in records of
// versions that did not measure it.
func (a *Account) Saving() (s Saving, spent float64, known bool) {
	spent = a.whole().DecideTime + a.whole().MoveTime
	switch e := a.Emulation; {
	case a.Calls().Moves == 0:
		return s, spent, false
	case e != nil:
		return Saving{Step: a.whole().Step.Last, Unmoved: e.Without, Seen: e.With - e.Calls - e.Moves}, spent, true
	}
	s = *made(&a.saving)
	return s, spent, s.Step > a.before.Step.Last || s.Step > 0 && a.elapsed > 0
}

// Compared reports whether the run is compared with its unmoved shadow at all.
func (a *Account) Compared() bool { return made(&a.saving).Step > 0 }

// drain adds the state of a request to drain a host.
func (a *Account) drain(d *Drain) {
	if d.State != DrainDone {
		return
	}
	a.drained = slices.DeleteFunc(a.drained, func(earlier Drain) bool { return earlier.Host == d.Host })
	if !d.Undo {
		a.drained = append(a.drained, *d)
	}
}

// Drained returns the hosts that the run keeps empty on request.
func (a *Account) Drained() []Drain { return a.drained }

// misfit notes entries that do not fit together; of many, the first.
func (a *Account) misfit(format string, args ...any) {
	if len(a.misfits) < 10 {
		a.misfits = append(a.misfits, fmt.Sprintf(format, args...))
	}
}

// Window is the account of consecutive supersteps, First to Last.
type Window struct {
	Mixed bool // its supersteps ended at different positions
	Calls int  // rescheduling calls after it
	Moved int  // processes that these moved
	Step  Step
}

// maxWindows bounds the windows of an Account.
const maxWindows = 1 << 14

// Windows returns the course of the run.
func (a *Account) Windows() []Window { return a.windows }

func (a *Account) addToWindow(s *Step) {
	a.width = max(a.width, 1)
	if n := len(a.windows); n > 0 && (a.windows[n-1].Step.Count < a.width || a.windows[n-1].Step.Last >= s.First) {
		a.windows[n-1].Add(s)
		return
	}
	if len(a.windows) == maxWindows {
		a.halve()
		a.addToWindow(s)
		return
	}
	if n := len(a.windows); n == cap(a.windows) {
		a.windows = slices.Grow(a.windows, max(n, 64)) // append would copy more often
	}
	a.windows = append(a.windows, WindowOf(s))
}

// WindowOf returns the window of supersteps, without their work by rank.
func WindowOf(s *Step) Window {
	w := Window{Step: *s, Mixed: s.Count < s.Last-s.First+1}
	w.Step.Work = nil
	return w
}

// Add adds supersteps that may have ended elsewhere.
func (w *Window) Add(s *Step) {
	w.Mixed = w.Mixed || w.Step.Site != s.Site
	w.Step.Add(s)
}

// Merge adds the window that follows.
func (w *Window) Merge(next *Window) {
	w.Add(&next.Step)
	w.Mixed = w.Mixed || next.Mixed
	w.Calls += next.Calls
	w.Moved += next.Moved
}

func (a *Account) halve() {
	for i := range maxWindows / 2 {
		a.windows[i] = a.windows[2*i]
		a.windows[i].Merge(&a.windows[2*i+1])
	}
	a.windows = a.windows[:maxWindows/2]
	a.width *= 2
}

// Where names the site where the supersteps ended; Slowest names the process with the
// longest work.
func (w *Window) Where() string {
	if w.Mixed {
		return SeveralSites
	}
	return w.Step.Site
}

func (w *Window) Slowest() string {
	if w.Step.Slowest < 0 {
		return "-"
	}
	return fmt.Sprintf("p%d@r%d", w.Step.Slowest, w.Step.SlowestRank)
}
