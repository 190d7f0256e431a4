//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package checkpoint

import (
	"errors"
	"os"
)

// openLock opens the file to be locked.
func openLock(name string, flags int) (*os.File, error) { return os.OpenFile(name, flags, 0o600) }

// flock fails on systems without file locks.
func flock(*os.File) error { return errors.ErrUnsupported }
