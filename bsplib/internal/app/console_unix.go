//go:build unix

package app

import (
	"os"

	"golang.org/x/sys/unix"
)

// foreground reports whether this program, or the job that it is part of, has the terminal.
func foreground(terminal *os.File) bool {
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
