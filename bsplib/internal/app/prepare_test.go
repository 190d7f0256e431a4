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
			app := newApplication(&Program{Check: func(int) error {
				for _, w := range wrong {
					if w == rank {
						return errors.New("there is no such file here")
					}
				}
				return nil
			}}, nil, "program")
			app.conf.plan.Comm, app.conf.say.lead = comm, rank == 0
			all.Go(func() { got[rank] = app.checkProgram() })
		}
		all.Wait()
		for rank, err := range got {
			if errors.Is(err, ErrReported) != (len(wrong) > 0) || len(wrong) == 0 && err != nil {
				t.Errorf("wrong on ranks %v: rank %d has %v", wrong, rank, err)
			}
		}
	}
}
