//go:build unix

package checkpoint

import (
	"errors"
	"os"
	"syscall"
)

// syncDirectory flushes the names in a directory to disk. It ignores file systems that do not support
// this.
func syncDirectory(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
