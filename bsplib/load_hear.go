package bsplib

import (
	"math"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/ledger"
)

// sentence is what a rank has said of loads, as far as it is not heard.
type sentence []uint64

// hear begins with what the ranks have shipped. Ranks but 0 only hear how long
// windows are to be.
func (l *loads) hear(r *rank) error {
	l.said = l.said[:0]
	if l.window == nil {
		return control.Each(r.control, func(_ int, width *int) error {
			l.width = *width
			return nil
		})
	}
	l.sentences = l.sentences[:0]
	for _, s := range r.account.shipments {
		l.sentences = append(l.sentences, sentence(s.Loads))
	}
	return nil
}

// ended takes in a superstep, in order, and enters its window if it was the last one.
func (l *loads) ended(a *account, s *ledger.Step) {
	l.window.Step(s.Last, s.Site)
	if len(l.ends) == 0 || s.Last+1 < l.ends[0] {
		return
	}
	end := l.ends[0]
	if l.ends = l.ends[1:]; len(l.ends) == 0 && l.end == 0 {
		end = math.MaxInt // of a window that was to be longer
	}
	l.fill(a, end)
	l.window.Close(func(l *ledger.Load) { a.book.Enter(l) })
}

// fill takes what is said of windows up to the given end into the open one.
func (l *loads) fill(a *account, end int) {
	for rank, s := range l.sentences {
		for len(s) > 0 && (s[0] == saidState || int(s[1]) <= end) {
			if s[0] == saidState {
				s = l.fillStates(s[1:])
			} else {
				s = l.fillPlace(a.name(int64(s[2])), s[3:])
			}
		}
		l.sentences[rank] = s
	}
}

// fillStates takes in the bytes of states and returns what follows.
func (l *loads) fillStates(s sentence) sentence {
	n := 1 + 2*int(s[0])
	for _, w := range pairs(s[1:n]) {
		l.window.State(int(w[0]), int64(w[1]))
	}
	return s[n:]
}

// fillPlace takes in the rows of a place and returns what follows.
func (l *loads) fillPlace(site string, s sentence) sentence {
	n := s[0]
	s = s[1:]
	for range n {
		pid, senders := int(s[0]), int(s[2])
		l.window.Work(site, pid, math.Float64frombits(s[1]))
		for _, w := range pairs(s[3 : 3+2*senders]) {
			l.window.Send(site, ledger.Message{From: int(w[0]), To: pid, Bytes: math.Float64frombits(w[1])})
		}
		s = s[3+2*senders:]
	}
	return s
}

func pairs(s []uint64) [][2]uint64 {
	return unsafe.Slice((*[2]uint64)(unsafe.Pointer(unsafe.SliceData(s))), len(s)/2)
}
