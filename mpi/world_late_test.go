//go:build mpi && cgo

package mpi_test

import (
	"testing"

	"github.com/migbsp/migbsp/mpi"
)

// TestWorldLateRounds sees rounds end of which all messages come at once, with pieces that
// were sent before.
func TestWorldLateRounds(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		if c.Size() == 1 {
			return nil
		}
		return mpi.LateRounds(c)
	})
}
