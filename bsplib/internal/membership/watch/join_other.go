//go:build !linux

package watch

import "github.com/migbsp/migbsp/mpi"

// Start returns nil: ranks are watched on Linux only.
func Start(mpi.Comm, string) (*Watch, error) { return nil, nil }

func gone(int, int64) bool { return false }

// StartAlone returns nil: ends are explained on Linux only.
func StartAlone(string, Limits) *Alone { return nil }
