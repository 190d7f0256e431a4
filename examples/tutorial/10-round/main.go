// Round has a process go round to all others, to where their data are, while a host is
// emptied.
package main

import (
	"flag"
	"fmt"
	"strings"

	"github.com/migbsp/migbsp/bsplib"
)

var closing = flag.String("closing", "", "`host` that is emptied half-way")

func main() { bsplib.Main(round) }

type state struct {
	Found float64              // by process 0 so far,
	Way   []string             // and where it has been
	Data  bsplib.Area[float64] // of each process
}

func round(b *bsplib.Proc, s *state) error {
	if b.Fresh() {
		s.Data = bsplib.Alloc[float64](b, 1000)
		for i := range s.Data.Slice() {
			s.Data.Slice()[i] = float64(b.Pid()*i%7) / 8
		}
		b.Sync()
	}
	part := make([]float64, 1000)
	for k := range b.Stages(b.NProcs()) {
		if b.Pid() == 0 {
			s.Data.Get(k, 0, part)
		}
		b.Sync()
		if b.Pid() == 0 {
			s.visit(b, k, part)
		}
	}
	if b.Pid() == 0 {
		fmt.Println("by way of", strings.Join(s.Way, " "))
		b.Report(bsplib.Result{Title: "Round", Size: fmt.Sprintf("%d processes", b.NProcs()), Checksum: fmt.Sprintf("%x", s.Found)})
	}
	return nil
}

// visit is process 0's part of stage k, in which it is on the rank of process k, if it was let
// go there, and has its data.
func (s *state) visit(b *bsplib.Proc, k int, data []float64) {
	for _, x := range data {
		s.Found += x
	}
	at := b.Runtime().Host(b.Rank())
	if err := b.MigrateError(); err != nil {
		at += " (" + err.Error() + ")"
	}
	s.Way = append(s.Way, at)
	b.Migrate(bsplib.NextTo((k + 1) % b.NProcs()))
	if k == b.NProcs()/2 {
		s.close(b, *closing)
	}
}

// close has all processes leave a host, when this stage ends.
func (s *state) close(b *bsplib.Proc, host string) {
	for rank := range b.NRanks() {
		if b.Runtime().Host(rank) == host {
			b.Runtime().Drain(rank)
		}
	}
}
