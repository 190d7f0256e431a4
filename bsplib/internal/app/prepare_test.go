package app

import (
	"errors"
	"sync"
	"testing"

	"github.com/migbsp/migbsp/mpi"
)

// What one rank alone cannot read ends all of them.
func TestAllRanksLearnWhatOneHasFound(t *testing.T) {
	for _, wrong := range [][]int{nil, {0}, {2}, {1, 2}, {0, 1, 2, 3}} {
		comms := mpi.InProcess(4)
		got := make([]error, len(comms))
		var all sync.WaitGroup
		for rank, comm := range comms {
			app := &application{name: "program", lead: rank == 0, Program: &Program{Check: func(int) error {
				for _, w := range wrong {
					if w == rank {
						return errors.New("there is no such file here")
					}
				}
				return nil
			}}}
			app.plan.Comm = comm
			all.Go(func() { got[rank] = app.checkProgram() })
		}
		all.Wait()
		for rank, err := range got {
			if errors.Is(err, errReported) != (len(wrong) > 0) || len(wrong) == 0 && err != nil {
				t.Errorf("wrong on ranks %v: rank %d has %v", wrong, rank, err)
			}
		}
	}
}
