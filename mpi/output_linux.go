//go:build mpi && cgo

package mpi

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// unread returns the number of bytes of a pipe that its reader has not taken yet,
// 0 if the file is no pipe.
func unread(file *os.File) int {
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return 0
	}
	n, err := unix.IoctlGetInt(int(file.Fd()), unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return n
}

const (
	drainAtMost = 2 * time.Second
	drainPause  = time.Millisecond
	drainGrace  = 50 * time.Millisecond // for the launcher to pass on the output
)

// drainOutput waits until the launcher has read the output of this process, and gives it time to
// pass the output on: some launchers drop it on an abort.
func drainOutput() {
	for end := time.Now().Add(drainAtMost); unread(os.Stderr)+unread(os.Stdout) > 0 && time.Now().Before(end); {
		time.Sleep(drainPause)
	}
	time.Sleep(drainGrace)
}
