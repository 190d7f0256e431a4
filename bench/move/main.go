// Move measures how long a process takes to go to another rank and back.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/bench/internal/results"
	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/ledger"
)

var (
	bytes = flag.Int("bytes", 1<<20, "`size` of the state of the process that moves")
	moves = flag.Int("moves", 40, "`number` of moves; the median counts")
	alloc = flag.Bool("alloc", false, "keep the state in memory from Alloc instead of a slice")
	json  = flag.Bool("json", false, "print JSON lines, as bench/bsp does, instead of a sentence")
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
	if b.NRanks() < 2 {
		return errors.New("there is one rank only, and no other to move to: -ranks 2, or two ranks from the launcher")
	}
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
	if b.Pid() != 0 {
		return nil
	}
	slices.Sort(s.Times)
	return report(os.Stdout, b.Engine(), b.NProcs(), s.Times)
}

// report prints the median time of a stage, which is that of a move: process 0 stays where
// it is and has nothing else to do. The times are in order.
func report(w io.Writer, engine string, procs int, times []time.Duration) error {
	median := times[len(times)/2]
	if !*json {
		_, err := fmt.Fprintf(w, "%s moved in %s: %.2f GB/s\n", ledger.Bytes(int64(*bytes)), ledger.Seconds(median), float64(*bytes)/median.Seconds()/1e9)
		return err
	}
	header := results.Header{Header: frame.NewHeader("bench/move", os.Args[1:]), Library: results.Ours(engine), P: procs}
	micros := func(t time.Duration) float64 { return float64(t) / float64(time.Microsecond) }
	return errors.Join(frame.WriteLine(w, header), frame.WriteLine(w, results.Row{
		Measure: name(), P: procs, MinUS: micros(times[0]), MedianUS: micros(median), Bytes: int64(*bytes), Ops: 1,
	}))
}

// name is that of the measure, as in move_64MiB_alloc.
func name() string {
	size := fmt.Sprintf("%dB", *bytes)
	if *bytes > 0 && *bytes%(1<<20) == 0 {
		size = fmt.Sprintf("%dMiB", *bytes>>20)
	}
	if *alloc {
		size += "_alloc"
	}
	return "move_" + size
}
