package membership

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

// Ranks without processes sleep until the others recall them, and receive the reason.
func TestDismissAndRecall(t *testing.T) {
	mpitest.OnRanks(4)(t, func(comm mpi.Comm) error {
		m := New(comm)
		present, changed := m.Inhabited([]int32{3, 1, 1})
		if !changed || !slices.Equal(present, []bool{false, true, false, true}) {
			return fmt.Errorf("inhabited %v, changed %v", present, changed)
		}
		if err := m.Dismiss(present); err != nil {
			return err
		}
		stays := comm.Rank()%2 == 1
		if m.Away() == stays || m.Absent() != 2 || !slices.Equal(m.Here(), []int{1, 3}) || m.Stayed(comm.Rank()) != stays {
			return fmt.Errorf("away %v, %d absent, here %v", m.Away(), m.Absent(), m.Here())
		}
		if due := m.RollCallDue(RollCallEvery); stays && due != (comm.Rank() == 1) {
			return fmt.Errorf("a roll call is due: %v", due)
		}
		call := &Call{Needs: Misfit, Step: 7, Wrong: &Wrong{Pid: 2, Text: "odd"}}
		var err error
		if stays {
			err = m.Recall(call, time.Second)
		} else {
			call, err = m.Await()
		}
		if err != nil {
			return err
		}
		if call.Needs != Misfit || call.Step != 7 || *call.Wrong != (Wrong{Pid: 2, Text: "odd"}) || m.Away() || m.Absent() != 0 {
			return fmt.Errorf("called back with %+v, away %v", call, m.Away())
		}
		if took := m.Waking(3 * time.Second); stays && took != 2*time.Second || m.Waking(4*time.Second) != 0 {
			return fmt.Errorf("waking took %v", took)
		}
		a := Agreement{Control: control.New(comm), Rank: comm.Rank()}
		first, all, err := a.exchange(statement{Pid: 10 - comm.Rank(), Text: fmt.Sprint(comm.Rank())})
		if err == nil && (first != statement{Rank: 3, Pid: 7, Text: "3"} || len(all) != 4) {
			err = fmt.Errorf("the first statement is %+v of %d", first, len(all))
		}
		return err
	})
}
