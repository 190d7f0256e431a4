package survey

import "golang.org/x/sys/unix"

// DiskSpace is the size of the file system that a path is on, and what of it is
// free for this user, in bytes.
func DiskSpace(path string) (size, free int64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, 0, err
	}
	return int64(s.Blocks) * int64(s.Bsize), int64(s.Bavail) * int64(s.Bsize), nil
}
