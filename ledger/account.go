package ledger

import (
	"math"
	"slices"
	"time"

	"github.com/migbsp/migbsp/ledger/fit"
)

// Account sums up a run in memory that does not grow with its length: by call
// site, by rank, and its course in windows that double in length when there are
// more than maxWindows of them.
type Account struct {
	Run       Run
	Machine   *Machine   // nil until it is known
	Emulation *Emulation // of a run on an emulated platform
	Result    *Result    // the program's own report
	// Recorder and Table, if there are any, are given every entry.
	Recorder *Recorder
	Table    *StepTable

	whole    Totals
	before   *Totals // up to the first move
	elapsed  float64 // of a run that has ended
	sites    []site
	index    map[string]int
	windows  []Window
	width    int // supersteps in a window
	calls    callSum
	where    []int32 // ranks of the processes now
	moved    []flux  // by rank
	capacity Capacity
	saving   Saving
	misfits  []string
	warnings []string   // the first ones
	drained  []Drain    // hosts that are to stay empty
	expected int        // supersteps, as the end says; 0 if it does not
	course   fit.Course // for Fit
}

// Totals adds up a part of a run.
type Totals struct {
	Step Step
	// Of Elapsed, in seconds, DecideTime went into rescheduling calls and MoveTime
	// into their moves.
	Elapsed, DecideTime, MoveTime float64
}

// site is the account of a place in the program.
type site struct {
	Step    Step
	slowest map[int]int // supersteps by slowest process
	blurred bool        // of some, only the process of the longest is known
}

// flux counts processes that came to a rank and left it.
type flux struct{ in, out int }

// mostWarnings bounds the warnings that are kept.
const mostWarnings = 20

// Enter takes in an entry of the run, and passes it on to the Recorder.
func (a *Account) Enter(e Entry) {
	switch e := e.(type) {
	case *Run:
		a.Run = *e
		a.where = e.Mapping.Where()
		a.moved = make([]flux, len(e.Ranks))
		a.whole.Step.Work = make([]time.Duration, len(e.Ranks))
		if a.Recorder != nil {
			a.Recorder.Begin(e)
		}
		if a.Table != nil {
			a.Table.Enter(e)
		}
		return
	case *Step:
		a.step(e)
	case *Call:
		a.call(e)
	case *Move:
		a.move(e)
	case *Outcome:
		a.calls.outcome(e)
	case *Capacity:
		a.capacity = Capacity{At: e.At, Ranks: append(a.capacity.Ranks[:0], e.Ranks...)}
	case *Saving:
		a.saving = *e
		a.calls.compare(e)
	case *Drain:
		a.drain(e)
	case *Warning:
		if len(a.warnings) < mostWarnings {
			a.warnings = append(a.warnings, e.Text)
		}
	case *End:
		a.end(e)
		return
	}
	if a.Recorder != nil {
		a.Recorder.Enter(e)
	}
	if a.Table != nil {
		a.Table.Enter(e)
	}
}

func (a *Account) step(s *Step) {
	if s.Count == 0 {
		s.Count = 1
	}
	if s.Last == 0 {
		s.Last = s.First + s.Count - 1
	}
	i, known := a.index[s.Site]
	if !known {
		if a.index == nil {
			a.index = make(map[string]int)
		}
		i = len(a.sites)
		a.index[s.Site] = i
		a.sites = append(a.sites, site{Step: Step{Site: s.Site}, slowest: make(map[int]int)})
	}
	a.sites[i].Step.Add(s)
	a.sites[i].slowest[s.Slowest] += s.Count
	a.sites[i].blurred = a.sites[i].blurred || s.Count > 1
	a.addToWindow(s)
	if a.Run.Clock() == "" {
		a.course.Take(s.Count, s.Ended().Seconds(), s.Talks, &s.Ways)
	}
	a.whole.Step.Add(s)
	a.whole.Elapsed = max(a.whole.Elapsed, (s.At + s.Total).Seconds())
}

// call takes in a rescheduling call. The totals up to the first one that moves
// something are kept.
func (a *Account) call(c *Call) {
	if c.Moved > 0 && a.before == nil {
		t := a.whole
		t.Step.Work = slices.Clone(t.Step.Work)
		t.Elapsed = c.At
		a.before = &t
	}
	a.whole.DecideTime += c.Took
	a.whole.MoveTime += c.Move
	a.whole.Elapsed = max(a.whole.Elapsed, c.At+c.Took+c.Move)
	a.calls.add(c)
	if n := len(a.windows); n > 0 {
		a.windows[n-1].Calls++
		a.windows[n-1].Moved += c.Moved
	}
}

func (a *Account) move(m *Move) {
	a.calls.move(m)
	if m.Pid >= len(a.where) {
		return
	}
	if int(a.where[m.Pid]) != m.From {
		a.misfit("process %d moved from rank %d in call %d, but was on rank %d", m.Pid, m.From, m.Call, a.where[m.Pid])
	}
	a.where[m.Pid] = int32(m.To)
	a.moved[m.From].out++
	a.moved[m.To].in++
}

func (a *Account) end(e *End) {
	a.elapsed, a.expected = e.At, e.Supersteps
	a.Machine, a.Emulation, a.Result = e.Machine, e.Emulation, e.Result
}

// Steps returns the number of supersteps in the account.
func (a *Account) Steps() int { return a.whole.Step.Count }

// Whole adds up the run, so far if it has not ended.
func (a *Account) Whole() Totals {
	t := a.whole
	if a.elapsed > 0 {
		t.Elapsed = a.elapsed
	}
	return t
}

// Before adds up the run to its first move, nil if there was none.
func (a *Account) Before() *Totals { return a.before }

// Where returns the rank of each process at the last entry.
func (a *Account) Where() []int32 { return a.where }

// Sites returns the accounts of the places where supersteps ended, in the order in
// which they were first met.
func (a *Account) Sites() []Step {
	all := make([]Step, len(a.sites))
	for i := range a.sites {
		all[i] = a.sites[i].Step
	}
	return all
}

// Stop sets the seconds that the run took, by its own clock.
func (a *Account) Stop(elapsed float64) { a.elapsed = elapsed }

// Window is the account of consecutive supersteps, First to Last.
type Window struct {
	Mixed bool // its supersteps ended at different places
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
		a.windows[n-1].merge(s)
		return
	}
	if len(a.windows) == maxWindows {
		a.halve()
		a.addToWindow(s)
		return
	}
	w := Window{Step: *s, Mixed: s.Count < s.Last-s.First+1}
	w.Step.Work = nil
	if n := len(a.windows); n == cap(a.windows) {
		a.windows = slices.Grow(a.windows, max(n, 64)) // append would copy more often
	}
	a.windows = append(a.windows, w)
}

// merge adds supersteps that may have ended elsewhere.
func (w *Window) merge(s *Step) {
	w.Mixed = w.Mixed || w.Step.Site != s.Site
	w.Step.Add(s)
}

func (a *Account) halve() {
	for i := range maxWindows / 2 {
		first, second := a.windows[2*i], a.windows[2*i+1]
		first.merge(&second.Step)
		first.Mixed = first.Mixed || second.Mixed
		first.Calls += second.Calls
		first.Moved += second.Moved
		a.windows[i] = first
	}
	a.windows = a.windows[:maxWindows/2]
	a.width *= 2
}

// callSum adds up rescheduling calls. It keeps the last mostCalls of the calls with moves.
type callSum struct {
	count, balanced, moving int
	moves                   int
	bytes                   int64
	took, moved             float64
	messages, talk          int64
	judged                  int // calls whose outcome is known
	seen                    int // supersteps in which they were judged
	predicted, realised     float64
	told, byTold            int     // calls that could compare what the program told with the past, and used it
	toldError, pastError    float64 // sums over the first
	saving, since           Saving  // so far, and up to the last call with moves
	rate                    float64 // seconds that were saved in a superstep before that call
	before                  float64 // seconds that all calls before it brought
	why                     string  // nothing moved in a call: the last that had something to gain, or the last
	gain                    bool    // that one had
	last                    []Call
	lastMoves               map[int][]Move // by call
}

// mostCalls bounds the calls that are kept.
const mostCalls = 1 << 12

func (s *callSum) add(c *Call) {
	s.count++
	if c.Balanced && c.Moved == 0 {
		s.balanced++
	}
	if c.PastError > 0 || c.ToldError > 0 {
		s.told++
		s.toldError += c.ToldError
		s.pastError += c.PastError
		if c.ByTold {
			s.byTold++
		}
	}
	s.took += c.Took
	s.moved += c.Move
	s.messages += c.Messages
	s.talk += c.Talk
	if gain := c.Forecast > 0; c.Kept != "" && (gain || !s.gain) {
		s.why, s.gain = c.Kept, gain
	}
	if c.Moved == 0 {
		return
	}
	s.rate = 0
	if n := len(s.last); n > 0 && s.last[n-1].Brought != nil {
		s.rate = share(s.last[n-1].Brought.Realised, float64(s.last[n-1].Brought.Steps))
	}
	s.before += s.lastBrought()
	s.since = s.saving
	s.moving++
	s.moves += c.Moved
	s.bytes += c.Bytes
	if len(s.last) == mostCalls {
		delete(s.lastMoves, s.last[0].Number)
		s.last = append(s.last[:0], s.last[1:]...)
	}
	kept := *c
	kept.Verdicts = nil
	s.last = append(s.last, kept)
}

// brought is what all calls brought, in seconds.
func (s *callSum) brought() float64 { return s.before + s.lastBrought() }

func (s *callSum) lastBrought() float64 {
	if n := len(s.last); n > 0 && s.last[n-1].Brought != nil {
		return s.last[n-1].Brought.Realised
	}
	return 0
}

// compare notes what the last call with moves has brought so far.
func (s *callSum) compare(now *Saving) {
	s.saving = *now
	if len(s.last) == 0 {
		return
	}
	c := &s.last[len(s.last)-1]
	b := &Brought{Steps: max(0, now.Step-c.Step), Realised: now.Gross() - s.since.Gross(), Error: math.Sqrt(max(0, now.Error*now.Error-s.since.Error*s.since.Error))}
	b.Predicted = s.rate * float64(b.Steps)
	if c.Horizon > 0 {
		b.Predicted += c.Forecast / float64(c.Horizon) * float64(b.Steps)
	}
	c.Brought = b
}

// mostMoves bounds the moves of a call that are named; others are counted.
const mostMoves = 8

func (s *callSum) move(m *Move) {
	if n := len(s.last); n == 0 || s.last[n-1].Number != m.Call || len(s.lastMoves[m.Call]) == mostMoves {
		return
	}
	if s.lastMoves == nil {
		s.lastMoves = make(map[int][]Move)
	}
	s.lastMoves[m.Call] = append(s.lastMoves[m.Call], *m)
}

// outcome enters the outcome of a call; a later one of the same call replaces an earlier
// one. Calls that are no longer kept have been judged.
func (s *callSum) outcome(o *Outcome) {
	for i := len(s.last) - 1; i >= 0; i-- {
		c := &s.last[i]
		if c.Number != o.Call {
			continue
		}
		if old := c.Outcome; old != nil {
			s.judged--
			s.seen -= old.Steps
			s.predicted -= old.Predicted
			s.realised -= old.Realised
		}
		kept := *o
		c.Outcome = &kept
		s.judged++
		s.predicted += o.Predicted
		s.realised += o.Realised
		s.seen += o.Steps
		return
	}
}
