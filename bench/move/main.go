// Move measures how long a process takes to go to another rank and back.
package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/ledger"
)

var (
	bytes = flag.Int("bytes", 1<<20, "`size` of the state of the process that moves")
	moves = flag.Int("moves", 40, "`number` of moves; the median counts")
	alloc = flag.Bool("alloc", false, "keep the state in memory from Alloc instead of a slice")
)

func main() {
	bsplib.Main(move, bsplib.CheckFlags(check), bsplib.DefaultTable("none"), bsplib.Description(`
Move sends a process with a state of some size from rank 0 to rank 1 and back,
and prints the median time of a move: the stage's end, the request, the transfer
of the state with its check, and the new place made known to all ranks.`))
}

func check(procs int) error {
	switch {
	case *bytes < 0 || *moves < 3:
		return errors.New("-bytes: at least 0; -moves: at least 3")
	case procs < 2:
		return errors.New("-procs: at least two processes, for the ranks to have one each")
	}
	return nil
}

// state is what moves.
type state struct {
	Data  []byte
	Area  bsplib.Area[byte]
	Times []time.Duration
	Began time.Duration
}

func move(b *bsplib.Proc, s *state) error {
	mover := b.Pid() == b.NProcs()-1
	if b.Fresh() && mover {
		s.Data = make([]byte, *bytes)
	}
	if b.Fresh() && *alloc {
		s.Area = bsplib.Alloc[byte](b, len(s.Data))
		s.Data = s.Area.Slice()
		b.Sync()
	}
	for k := range b.Stages(*moves + 1) {
		if now := b.Time(); b.Pid() == 0 {
			if k > 0 {
				s.Times = append(s.Times, now-s.Began)
			}
			s.Began = now
		}
		if mover {
			b.Migrate(bsplib.OnRank((b.Rank() + 1) % min(2, b.NRanks())))
		}
	}
	if b.Pid() == 0 {
		report(s)
	}
	return nil
}

// report prints the median time of a stage, which is that of a move: process 0
// stays where it is and has nothing else to do.
func report(s *state) {
	slices.Sort(s.Times)
	median := s.Times[len(s.Times)/2]
	fmt.Printf("%s moved in %s: %.2f GB/s\n", ledger.Bytes(int64(*bytes)), ledger.Seconds(median), float64(*bytes)/median.Seconds()/1e9)
}
