package bsplib

import (
	"errors"
	"testing"
	"time"

	"github.com/migbsp/migbsp/mpi"
)

// Run returns when its rank of an MPI run waits for a lost one: the caller
// decides how to end.
func TestRunReturnsWithoutTheLost(t *testing.T) {
	lost := errors.New("no answer")
	returned := make(chan error)
	go func() {
		returned <- Run(Config{Comm: mpi.InProcess(1)[0]}, func(p *Proc, _ *struct{}) error {
			p.process.Rank.Cluster.Silent(lost)
			select {} // as a rank does in a collective operation that another rank has not entered
		})
	}()
	select {
	case err := <-returned:
		if e, is := errors.AsType[*Error](err); !is || e.Kind != KindEngine || e.Text != lost.Error() {
			t.Errorf("%v, want %v", err, lost)
		}
	case <-time.After(10 * time.Second):
		t.Error("Run waits for the lost rank")
	}
}
