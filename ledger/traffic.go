package ledger

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// Flow is the bytes that ranks sent each other in some supersteps, by the mapping at that
// time.
type Flow struct {
	Steps int         // supersteps that were recorded
	Bytes [][]float64 // by sending and receiving rank; on the diagonal, between processes of one rank
}

// Traffic is the flow before the first move and after the last.
type Traffic struct {
	Before, After Flow // After has no supersteps if no process moved, or the run ended with the last move
}

// mostTrafficRanks bounds the ranks whose traffic is added up.
const mostTrafficRanks = 2048

// ReadTraffic adds up the messages in the record of h, if it has them.
//
// Errors: the record cannot be read again, or the run has too many ranks.
func (h *History) ReadTraffic() (*Traffic, error) {
	n := len(h.Account.Run().Ranks)
	if n > mostTrafficRanks {
		return nil, fmt.Errorf("traffic is shown of %d ranks at most; the run has %d", mostTrafficRanks, n)
	}
	f, err := Open(h.Name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	moves := slices.Clone(h.Moves)
	slices.SortStableFunc(moves, func(a, b Move) int { return a.Step - b.Step })
	first, last := 1<<62, 0
	if len(moves) > 0 {
		first, last = moves[0].Step, moves[len(moves)-1].Step
	}
	t := &Traffic{Before: newFlow(n), After: newFlow(n)}
	where := h.Account.Run().Mapping.Where()
	d := NewDecoder(h.Name, f).WithLoads()
	for {
		e, err := d.Next()
		if errors.Is(err, io.EOF) || d.Err() != nil {
			return t, nil // h.Problems also has an error that ended reading
		}
		l, is := e.(*Load)
		if !is {
			continue // h.Problems also has lines that cannot be read
		}
		for len(moves) > 0 && moves[0].Step < l.First {
			where[moves[0].Pid] = int32(moves[0].To)
			moves = moves[1:]
		}
		switch {
		case l.Last <= first:
			t.Before.add(l, where)
		case l.First > last:
			t.After.add(l, where)
		}
	}
}

func newFlow(n int) Flow {
	f := Flow{Bytes: make([][]float64, n)}
	for i := range f.Bytes {
		f.Bytes[i] = make([]float64, n)
	}
	return f
}

func (f *Flow) add(l *Load, where []int32) {
	f.Steps += l.Count
	for _, m := range l.Messages {
		if m.From != m.To {
			f.Bytes[where[m.From]][where[m.To]] += m.Bytes
		}
	}
}
