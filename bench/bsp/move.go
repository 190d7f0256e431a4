package main

import (
	"slices"
	"time"

	"github.com/migbsp/migbsp/bench/internal/results"
	"github.com/migbsp/migbsp/bsplib"
)

// moving is a measure of moves: of the last process, with a state of a number of bytes, to
// rank 1 and back.
type moving struct {
	name  string
	bytes int
	alloc bool // the state is in memory from Alloc instead of a slice
}

var movings = []moving{
	{"move_1MiB", 1 << 20, false}, {"move_1MiB_alloc", 1 << 20, true},
	{"move_64MiB", 64 << 20, false}, {"move_64MiB_alloc", 64 << 20, true},
}

// moves is the number of moves of a process in a measure, regardless of -seconds.
const moves = 40

// state moves with the process.
type state struct {
	Begun, Ended int // measures of moves
	Data         []byte
	Area         bsplib.Area[byte]
	Times        []time.Duration
	Began        time.Duration
}

// move takes the k-th of the selected measures of moves. Collective; a process that has
// moved enters all of them again.
func (u *suite) move(p *bsplib.Proc, s *state, k int, m moving) error {
	mover := p.Pid() == p.NProcs()-1
	if s.Begun == k {
		s.Begun++
		s.Times, s.Data = nil, nil
		if mover {
			s.Data = make([]byte, m.bytes)
		}
		if m.alloc {
			s.Area = bsplib.Alloc[byte](p, len(s.Data))
			s.Data = s.Area.Slice()
			p.Sync()
		}
	}
	for stage := range p.Stages(moves + 1) {
		if now := p.Time(); p.Pid() == 0 {
			if stage > 0 {
				s.Times = append(s.Times, now-s.Began)
			}
			s.Began = now
		}
		if mover {
			p.Migrate(bsplib.OnRank((p.Rank() + 1) % 2))
		}
	}
	if s.Ended > k {
		return nil
	}
	s.Ended++
	if m.alloc {
		s.Area.Pop()
		p.Sync()
	}
	if p.Pid() != 0 {
		return nil
	}
	// Process 0 never moves, and has time for this.
	slices.Sort(s.Times)
	return u.print(results.Row{
		Measure: m.name, P: p.NProcs(), MinUS: micros(s.Times[0]), MedianUS: micros(s.Times[len(s.Times)/2]), Bytes: int64(m.bytes), Ops: 1,
	})
}

func micros(t time.Duration) float64 { return float64(t) / float64(time.Microsecond) }
