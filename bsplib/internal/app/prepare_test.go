package app

import (
	"errors"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

// What one rank alone cannot read ends all of them.
func TestAllRanksLearnWhatOneHasFound(t *testing.T) {
	for _, wrong := range [][]int{nil, {0}, {2}, {1, 2}, {0, 1, 2, 3}} {
		var got [4]error
		mpitest.OnRanks(len(got))(t, func(comm mpi.Comm) error {
			rank := comm.Rank()
			app := newApplication(&Program{Check: func(int) error {
				if slices.Contains(wrong, rank) {
					return errors.New("there is no such file here")
				}
				return nil
			}}, nil, "program")
			app.conf.plan.Comm, app.conf.say.lead = comm, rank == 0
			got[rank] = app.checkProgram()
			return nil
		})
		for rank, err := range got {
			if errors.Is(err, ErrReported) != (len(wrong) > 0) || len(wrong) == 0 && err != nil {
				t.Errorf("wrong on ranks %v: rank %d has %v", wrong, rank, err)
			}
		}
	}
}
