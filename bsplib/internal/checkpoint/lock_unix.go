//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// openLock opens the file to be locked. It follows no link and does not wait for a reader.
func openLock(name string, flags int) (*os.File, error) {
	file, err := os.OpenFile(name, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		file.Close()
		return nil, errors.Join(err, fmt.Errorf("%s is no regular file", name))
	}
	return file, nil
}

// flock tries to lock a file.
//
// Errors: errLocked; errors of a file system without locks.
func flock(file *os.File) error {
	for {
		switch err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		case !errors.Is(err, syscall.EINTR):
			return os.NewSyscallError("flock "+file.Name(), err)
		}
	}
}
