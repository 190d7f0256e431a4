package live

import (
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// Limits of the history kept for display.
const (
	recentLines = 60  // of the record's supersteps: the span that counts as now
	recentCalls = 200 // rescheduling calls
	recentMoves = 4   // of a call; others are counted
)

// State sums up a run for its display.
type State struct {
	Account ledger.Account
	End     *ledger.End // nil while the run goes on

	recent    []ledger.Step // the last ones, the newest last
	calls     []ledger.Call // the last ones, each with its first moves, the newest last
	progress  *ledger.Progress
	loopBegan *ledger.Progress // the first one of the loop of stages that is in progress

	problems     []string // with the record: the first ones
	moreProblems int
	warnings     int
	warning      string // the last one
}

// Begun reports whether the head of the record has been read.
func (s *State) Begun() bool { return s.Account.Run().Procs > 0 }

// Enter adds the next entry of the record.
func (s *State) Enter(e ledger.Entry) {
	s.Account.Enter(e)
	switch e := e.(type) {
	case *ledger.Step:
		s.recent = append(last(s.recent, recentLines-1), *e)
	case *ledger.Call:
		s.calls = append(last(s.calls, recentCalls-1), *e)
	case *ledger.Move:
		if i := s.find(e.Call); i >= 0 && len(s.calls[i].Moves) < recentMoves {
			s.calls[i].Moves = append(s.calls[i].Moves, *e)
		}
	case *ledger.Outcome:
		if i := s.find(e.Call); i >= 0 {
			s.calls[i].Outcome = e
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

// last returns the last of a list, at most most, in the same memory.
func last[T any](list []T, most int) []T {
	return append(list[:0], list[max(0, len(list)-most):]...)
}

// find returns the index of a call in the list of the last ones, -1 if it is not there.
func (s *State) find(number int) int {
	for i := len(s.calls) - 1; i >= 0; i-- {
		if s.calls[i].Number == number {
			return i
		}
	}
	return -1
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

// Problems returns the problems with the record: lines that cannot be read, or else figures
// that do not fit together.
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
	ranks := len(s.Account.Run().Ranks)
	sum := ledger.Step{Ranks: ranks, Work: make([]time.Duration, ranks)}
	for i := range s.recent {
		sum.Add(&s.recent[i])
	}
	return span{sum}
}

// whole returns the span of the run so far.
func (s *State) whole() span { return span{s.Account.Whole().Step} }

// remaining returns the time that the loop of stages will take from its last progress
// entry on, if the rest is like the part before; false if that is not known. wall is the
// time that the run had taken on its machine when the record last grew.
func (s *State) remaining(wall time.Duration) (time.Duration, bool) {
	p, from := s.progress, s.loopBegan
	if p == nil || s.End != nil || p.Part() <= 0 || p.Part() > 1 {
		return 0, false
	}
	if s.Account.Run().Clock() != "" { // the user waits by the machine's clock
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
