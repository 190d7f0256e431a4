package ledger

import "time"

// Book sums up a run in memory that does not grow with its length: by call
// site, by rank, and its course in windows that double in length when there are
// more than maxWindows of them.
type Book struct {
	Run       Run
	Machine   *Machine   // nil until it is known
	Emulation *Emulation // of a run on an emulated platform
	Result    *Result    // what the program says of it
	// Recorder, if there is one, is given every entry.
	Recorder *Recorder

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
	misfits  []string
	warnings []string // the first ones
	expected int      // supersteps, as the end says; 0 if it does not
}

// Totals adds up a part of a run.
type Totals struct {
	Step
	ByRank []time.Duration // work
	// Of Elapsed, in seconds, DecideTime went into rescheduling calls and MoveTime
	// into their moves.
	Elapsed, DecideTime, MoveTime float64
}

// site is the account of a place in the program.
type site struct {
	Step
	slowest map[int]int // supersteps by slowest process
	blurred bool        // of some, only the process of the longest is known
}

// flux counts processes that came to a rank and left it.
type flux struct{ in, out int }

// mostWarnings bounds the warnings that are kept.
const mostWarnings = 20

// Enter takes in an entry of the run, and passes it on to the Recorder.
func (b *Book) Enter(e Entry) {
	switch e := e.(type) {
	case *Run:
		b.Run = *e
		b.where = e.Mapping.Where()
		b.moved = make([]flux, len(e.Ranks))
		if b.Recorder != nil {
			b.Recorder.Begin(e)
		}
		return
	case *Step:
		b.step(e)
	case *Call:
		b.call(e)
	case *Move:
		b.move(e)
	case *Outcome:
		b.calls.outcome(e)
	case *Warning:
		if len(b.warnings) < mostWarnings {
			b.warnings = append(b.warnings, e.Text)
		}
	case *End:
		b.end(e)
		return
	}
	if b.Recorder != nil {
		b.Recorder.Enter(e)
	}
}

func (b *Book) step(s *Step) {
	if s.Count == 0 {
		s.Count = 1
	}
	if s.Last == 0 {
		s.Last = s.First + s.Count - 1
	}
	i, known := b.index[s.Site]
	if !known {
		if b.index == nil {
			b.index = make(map[string]int)
		}
		i = len(b.sites)
		b.index[s.Site] = i
		b.sites = append(b.sites, site{Step: Step{Site: s.Site}, slowest: make(map[int]int)})
	}
	b.sites[i].add(s)
	b.sites[i].slowest[s.Slowest] += s.Count
	b.sites[i].blurred = b.sites[i].blurred || s.Count > 1
	b.addToWindow(s)
	b.whole.add(s)
	b.whole.ByRank = s.addRanks(b.whole.ByRank)
	b.whole.Elapsed = max(b.whole.Elapsed, (s.At + s.Total).Seconds())
}

// call takes in a rescheduling call. The totals up to the first one that moves
// something are kept.
func (b *Book) call(c *Call) {
	if c.Moved > 0 && b.before == nil {
		t := b.whole
		t.ByRank = append([]time.Duration(nil), t.ByRank...)
		t.Elapsed = c.At
		b.before = &t
	}
	b.whole.DecideTime += c.Took
	b.whole.MoveTime += c.Move
	b.whole.Elapsed = max(b.whole.Elapsed, c.At+c.Took+c.Move)
	b.calls.add(c)
	if n := len(b.windows); n > 0 {
		b.windows[n-1].Calls++
		b.windows[n-1].Moved += c.Moved
	}
}

func (b *Book) move(m *Move) {
	b.calls.move(m)
	if m.Pid >= len(b.where) {
		return
	}
	if int(b.where[m.Pid]) != m.From {
		b.misfit("process %d moved from rank %d in call %d, but was on rank %d", m.Pid, m.From, m.Call, b.where[m.Pid])
	}
	b.where[m.Pid] = int32(m.To)
	b.moved[m.From].out++
	b.moved[m.To].in++
}

func (b *Book) end(e *End) {
	b.elapsed, b.expected = e.At, e.Supersteps
	b.Machine, b.Emulation, b.Result = e.Machine, e.Emulation, e.Result
}

// Steps is the number of supersteps in the book.
func (b *Book) Steps() int { return b.whole.Count }

// Whole adds up the run, so far if it has not ended.
func (b *Book) Whole() Totals {
	t := b.whole
	if b.elapsed > 0 {
		t.Elapsed = b.elapsed
	}
	return t
}

// Before adds up the run to its first move, nil if there was none.
func (b *Book) Before() *Totals { return b.before }

// Where is the rank of each process now.
func (b *Book) Where() []int32 { return b.where }

// Sites are the accounts of the places where supersteps ended, in the order in
// which they were first met.
func (b *Book) Sites() []Step {
	all := make([]Step, len(b.sites))
	for i := range b.sites {
		all[i] = b.sites[i].Step
	}
	return all
}

// Stop says how long the run took, by its own clock.
func (b *Book) Stop(elapsed float64) { b.elapsed = elapsed }
