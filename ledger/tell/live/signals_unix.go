//go:build unix

package live

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// handled are the signals that a view handles: ended by them it would leave the
// terminal unusable.
var handled = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGWINCH, syscall.SIGTSTP, syscall.SIGCONT}

func isResize(s os.Signal) bool   { return s == syscall.SIGWINCH }
func isStop(s os.Signal) bool     { return s == syscall.SIGTSTP }
func isContinue(s os.Signal) bool { return s == syscall.SIGCONT }

// stopAll asks the processes of the job to stop, as the terminal would.
func stopAll() { syscall.Kill(0, syscall.SIGTSTP) }

// stopSelf stops this process until SIGCONT, unless no shell could send one. It returns another
// signal that came in between, or nil. SIGTSTP itself would be ignored: the Go runtime keeps its
// handler once a program has asked for it.
func stopSelf(signals <-chan os.Signal) os.Signal {
	if !supervised() {
		return nil
	}
	syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
	for s := range signals {
		switch s {
		case syscall.SIGCONT:
			return nil
		case syscall.SIGTSTP, syscall.SIGWINCH:
		default:
			return s
		}
	}
	return nil
}

// supervised reports whether a shell with job control has started this process.
func supervised() bool {
	self, err := unix.Getsid(0)
	if err != nil || self == syscall.Getpid() {
		return false
	}
	return syscall.Getpgrp() != self
}
