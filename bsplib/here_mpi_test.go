//go:build mpi && cgo

package bsplib_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/mpi"
	gompi "github.com/sbromberger/gompi"
)

// around has each process pass its number on until all have come round.
func around(p *bsplib.Proc, s *aroundState) error {
	if p.Fresh() {
		s.In = bsplib.Register(p, make([]int, 1))
		p.Sync()
	}
	for range p.Stages(p.NProcs()) {
		s.In.Put((p.Pid()+1)%p.NProcs(), 0, (s.Sum+p.Pid())%1000)
		p.Sync()
		s.Sum = s.In.Slice()[0]
	}
	if all := bsplib.Allgather(p, []int{p.Pid()}); len(all) != p.NProcs() {
		return fmt.Errorf("%d processes, want %d", len(all), p.NProcs())
	}
	return nil
}

type aroundState struct {
	In  bsplib.Area[int]
	Sum int
}

// Sections run on all ranks and on parts of them, with one process on each rank or several, and
// return; also with an error that all ranks know.
func TestOnCommunicators(t *testing.T) {
	if tasks, _ := mpi.Launched(); tasks < 2 {
		t.Skip("needs a launcher")
	}
	all := gompi.NewCommunicator(nil)
	rank, size := all.Rank(), all.Size()
	on := mpi.HandleOf(all)
	check := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	check("one process on each rank", bsplib.HereOn(on, around))
	check("three on each", bsplib.RunOn(on, bsplib.Config{Procs: 3 * size}, around))
	check("moving", bsplib.RunOn(on, bsplib.Config{Procs: 3 * size, Shake: true}, around))
	check("fewer than ranks", bsplib.RunOn(on, bsplib.Config{Procs: size - 1}, around))
	err := bsplib.HereOn(on, func(p *bsplib.Proc, _ *none) error {
		if p.Sync(); p.Pid() == 1 {
			return fmt.Errorf("process 1 does not like it")
		}
		p.Sync()
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "superstep 2, process 1, rank 1: process 1 does not like it") {
		t.Fatalf("an error of process 1: %v", err)
	}
	for part := range 2 {
		var ranks []int
		for r := part; r < size; r += 2 {
			ranks = append(ranks, r)
		}
		c := gompi.NewCommunicator(ranks)
		if rank%2 == part {
			check("a part of the ranks", bsplib.HereOn(mpi.HandleOf(c), around))
		}
	}
}
