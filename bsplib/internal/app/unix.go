//go:build unix

package app

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// foreground reports whether this program, or the job that it is part of, has the terminal.
func foreground(terminal *os.File) bool {
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// watchRequests calls request at each SIGUSR1, which asks for a checkpoint. The
// result function stops watching.
func watchRequests(request func()) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		for range signals {
			request()
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}
