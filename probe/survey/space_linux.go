package survey

import "golang.org/x/sys/unix"

// DiskSpace returns the size of a path's file system, and the free part of it for this
// user, in bytes.
func DiskSpace(path string) (size, free int64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, 0, err
	}
	return int64(s.Blocks) * int64(s.Bsize), int64(s.Bavail) * int64(s.Bsize), nil
}
