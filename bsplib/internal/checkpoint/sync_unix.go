//go:build unix

package checkpoint

import (
	"errors"
	"os"
	"syscall"
)

// syncDirectory brings the names in a directory to disk. File systems that
// cannot do that have their own rules.
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
