//go:build !linux

package survey

import "errors"

// DiskSpace is not known here.
func DiskSpace(string) (size, free int64, err error) {
	return 0, 0, errors.New("the space on file systems is not known on this system")
}
