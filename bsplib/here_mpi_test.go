//go:build mpi && cgo

package bsplib_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	gompi "github.com/sbromberger/gompi"
)

// around makes each process pass its number on until all numbers have gone round.
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
	check("one process on each rank", bsplib.HereOn(on, nil, around))
	check("three on each", bsplib.RunOn(on, bsplib.Config{Procs: 3 * size}, around))
	check("moving", bsplib.RunOn(on, bsplib.Config{Procs: 3 * size, Shake: true}, around))
	check("fewer than ranks", bsplib.RunOn(on, bsplib.Config{Procs: size - 1}, around))
	err := bsplib.HereOn(on, nil, func(p *bsplib.Proc, _ *none) error {
		if p.Sync(); p.Pid() == 1 {
			return fmt.Errorf("process 1 does not like it")
		}
		p.Sync()
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "superstep 2, process 1, rank 1: process 1 does not like it") {
		t.Fatalf("an error of process 1: %v", err)
	}
	accounted(t, on, rank, size)
	for part := range 2 {
		var ranks []int
		for r := part; r < size; r += 2 {
			ranks = append(ranks, r)
		}
		c := gompi.NewCommunicator(ranks)
		if rank%2 == part {
			check("a part of the ranks", bsplib.HereOn(mpi.HandleOf(c), nil, around))
		}
	}
}

// accounted configures the account and the moves of sections by rank 0's environment.
func accounted(t *testing.T, on mpi.Handle, rank, size int) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if rank == 0 {
		t.Setenv("MIGBSP_RUN_DIR", dir)
		t.Setenv("MIGBSP_BALANCE", "pwor")
	}
	for range 2 {
		if err := bsplib.RunOn(on, bsplib.Config{Procs: 3 * size}, around); err != nil {
			t.Fatalf("with a record: %v", err)
		}
	}
	if err := bsplib.RunOn(on, bsplib.Config{Procs: 3 * size, Shake: true}, around); err != nil {
		t.Fatalf("with a record, and moving: %v", err)
	}
	for i, strategy := range []string{"pwor", "pwor", "shake (these moves are not counted)"} {
		if rank > 0 {
			break
		}
		name := dir
		if i > 0 {
			name = fmt.Sprintf("%s-%d", dir, i+1)
		}
		h := must.Get(ledger.Read(name))(t)
		if h.Account.Run().Strategy != strategy || h.End == nil || h.End.Code != 0 || h.End.Supersteps < 3*size {
			t.Errorf("section %d has %+v, %+v", i, h.Account.Run(), h.End)
		}
	}
	if rank == 0 {
		t.Setenv("MIGBSP_TABLE", "nonsense")
	}
	if err := bsplib.HereOn(on, nil, around); !errors.Is(err, bsplib.ErrSettings) {
		t.Errorf("a setting is refused: %v", err)
	}
	if rank == 0 {
		for _, name := range []string{"RUN_DIR", "BALANCE", "TABLE"} {
			os.Unsetenv("MIGBSP_" + name)
		}
	}
}
