package live

import (
	"fmt"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// How much of the past is kept to be shown.
const (
	recentLines = 60  // of the record's supersteps: what counts as now
	recentCalls = 200 // rescheduling calls
	recentMoves = 4   // of a call; others are counted
)

// State sums up a run for its display.
type State struct {
	Account ledger.Account
	End     *ledger.End // nil while the run goes on

	recent    []ledger.Step // the last ones, the newest last
	calls     []call        // the last ones, the newest last
	ranks     flows         // of processes between ranks
	sets      flows         // and between Sets
	alpha     int           // supersteps from a rescheduling call to the next, 0 if not known
	balance   float64       // D
	progress  *ledger.Progress
	loopBegan *ledger.Progress // the first one of the loop of stages that is in progress

	problems     []string // with the record: the first ones
	moreProblems int
	warnings     int
	warning      string // the last one
}

// call is a rescheduling call with its moves.
type call struct {
	ledger.Call
	moves []ledger.Move
}

// flows count processes that came to a place and left it.
type flows struct{ came, left []int }

func newFlows(places int) flows { return flows{make([]int, places), make([]int, places)} }

func (f flows) add(from, to int) {
	f.left[from]++
	f.came[to]++
}

// text returns the flows of a place, "" where there were none.
func (f flows) text(place int) string {
	if f.came[place] == 0 && f.left[place] == 0 {
		return ""
	}
	return fmt.Sprintf("+%d -%d", f.came[place], f.left[place])
}

// Begun reports whether the head of the record has been read.
func (s *State) Begun() bool { return s.Account.Run.Procs > 0 }

// Enter takes in the next entry of the record.
func (s *State) Enter(e ledger.Entry) {
	s.Account.Enter(e)
	switch e := e.(type) {
	case *ledger.Run:
		s.ranks, s.sets = newFlows(len(e.Ranks)), newFlows(len(e.Sets))
	case *ledger.Step:
		s.recent = append(s.last(s.recent), *e)
	case *ledger.Call:
		s.call(e)
	case *ledger.Move:
		s.move(e)
	case *ledger.Outcome:
		for i := range s.calls {
			if s.calls[i].Number == e.Call {
				s.calls[i].Outcome = e
			}
		}
	case *ledger.Progress:
		if s.loopBegan == nil || s.loopBegan.Loop != e.Loop || s.loopBegan.Stages != e.Stages {
			s.loopBegan = e
		}
		s.progress = e
	case *ledger.Warning:
		s.warnings++
		s.warning = e.Text
	case *ledger.End:
		s.End = e
	}
}

// last makes room for one more superstep.
func (s *State) last(list []ledger.Step) []ledger.Step {
	if len(list) < recentLines {
		return list
	}
	return append(list[:0], list[1:]...)
}

func (s *State) call(c *ledger.Call) {
	s.alpha, s.balance = c.AlphaAfter, c.D
	if len(s.calls) == recentCalls {
		s.calls = append(s.calls[:0], s.calls[1:]...)
	}
	s.calls = append(s.calls, call{Call: *c})
}

func (s *State) move(m *ledger.Move) {
	s.ranks.add(m.From, m.To)
	if from, to := s.Account.Run.Ranks[m.From].Set, s.Account.Run.Ranks[m.To].Set; from != to {
		s.sets.add(from, to)
	}
	for i := len(s.calls) - 1; i >= 0; i-- {
		if c := &s.calls[i]; c.Number == m.Call {
			if len(c.moves) < recentMoves {
				c.moves = append(c.moves, *m)
			}
			return
		}
	}
}

// Trouble notes something in the record that cannot be read.
func (s *State) Trouble(err error) {
	const most = 5
	if len(s.problems) == most {
		s.moreProblems++
		return
	}
	s.problems = append(s.problems, err.Error())
}

// Problems returns the problems with the record: lines that cannot be read, or else
// figures that do not fit together.
func (s *State) Problems() []string {
	all := append([]string(nil), s.problems...)
	if s.End != nil && len(all) == 0 {
		all = append(all, s.Account.Check()...)
	}
	return all
}

// superstep returns the number of the last superstep that is known of.
func (s *State) superstep() int {
	last := 0
	if n := len(s.recent); n > 0 {
		last = s.recent[n-1].Last
	}
	if s.progress != nil {
		last = max(last, s.progress.Step-1)
	}
	return last
}

// span is supersteps added up, with the work of each rank.
type span struct{ ledger.Step }

// now adds up the last supersteps.
func (s *State) now() span {
	ranks := len(s.Account.Run.Ranks)
	sum := ledger.Step{Ranks: ranks, Work: make([]time.Duration, ranks)}
	for i := range s.recent {
		sum.Add(&s.recent[i])
	}
	return span{sum}
}

// whole is now for the run so far.
func (s *State) whole() span { return span{s.Account.Whole().Step} }

// remaining returns the time that the loop of stages will take from its last progress
// entry on, if the rest is like the part before; false if that is not known. wall is the
// time that the run had taken on its machine when the record last grew.
func (s *State) remaining(wall time.Duration) (time.Duration, bool) {
	p, from := s.progress, s.loopBegan
	if p == nil || s.End != nil || p.Part() <= 0 || p.Part() > 1 {
		return 0, false
	}
	if s.Account.Run.Clock() != "" { // the user waits by the machine's clock
		if p.Loop > 1 || wall <= 0 {
			return 0, false
		}
		return ledger.ToGo(wall, 0, p.Part()), true
	}
	took, before := p.At, 0.0
	if p.Loop > 1 || from.Part() > 0 && from != p && p.Loop != 1 {
		took, before = p.At-from.At, from.Part()
	}
	if took <= 0 || before >= p.Part() {
		return 0, false
	}
	const most = 1e9 // seconds
	return ledger.ToGo(time.Duration(min(most, took)*1e9), before, p.Part()), true
}
