package bsplib

import (
	"errors"
	"testing"
	"time"

	"github.com/migbsp/migbsp/mpi"
)

// Run returns when its rank of an MPI run waits for one that is lost: what to end
// then is the caller's to say.
func TestRunReturnsWithoutTheLost(t *testing.T) {
	lost := errors.New("no answer")
	returned := make(chan error)
	go func() {
		returned <- Run(Config{Comm: mpi.InProcess(1)[0]}, func(p *Proc, _ *struct{}) error {
			p.process.Rank.Cluster.Silent(lost)
			select {} // as a rank does in a collective operation of which another is missing
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
